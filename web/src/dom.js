// An element with text in it: text only, so that no name from a file can become markup.
export function make(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
}
