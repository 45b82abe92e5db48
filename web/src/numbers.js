// Number formatting.

const whole = new Intl.NumberFormat("en");

export function count(n) {
    return whole.format(n);
}

export function counted(n, word) {
    return `${count(n)} ${word}${n === 1 ? "" : "s"}`;
}

// Six digits, as the tool prints them (%.6g).
export function six(x) {
    if (x === undefined || Number.isNaN(x)) return "–";
    if (x === 0 || !Number.isFinite(x)) return String(x === 0 ? 0 : x);
    const exponent = Math.floor(Math.log10(Math.abs(x)));
    if (exponent < -4 || exponent > 5) return x.toExponential(5).replace(/\.?0+e/, "e").replace("-", "−");
    return String(Number(x.toPrecision(6))).replace("-", "−");
}

export function short(x) {
    if (x === undefined || Number.isNaN(x)) return "–";
    if (x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e6)) return x.toExponential(2).replace("-", "−");
    return String(Number(x.toPrecision(4))).replace("-", "−");
}

export function ms(x) {
    return `${x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x.toFixed(x >= 1 ? 2 : 3)} ms`;
}
