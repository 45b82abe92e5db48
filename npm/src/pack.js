// An answer as one block of bytes that can be sent to another thread, and read there by the same class.
import { Answer } from "./answer.js";
import { STRUCTS } from "./layout.js";
import { Memory } from "./memory.js";

const START = 16; // no record lies at 0, which is NULL

// The struct at `at` with all that it points to; pointers lead to places in the block.
export function packAnswer(memory, at) {
    const get = (field) => memory.get("snag_answer", at, field);
    const reason = new TextEncoder().encode(`${memory.text(get("reason"))}\0`);
    const listed = get("contacts") || get("pairs") ? get("count") : 0;
    const parts = [
        ["contacts", get("contacts"), get("contacts") ? listed * STRUCTS.snag_contact.size : 0],
        ["pairs", get("pairs"), get("pairs") ? listed * STRUCTS.snag_pair.size : 0],
        ["ended", get("ended"), get("ended_count") * STRUCTS.snag_ended_contact.size],
        ["statistics", get("statistics"), STRUCTS.snag_statistics.size],
    ];
    const aligned = (size) => Math.ceil(size / 16) * 16;
    const head = START + aligned(STRUCTS.snag_answer.size);
    const size = parts.reduce((sum, [, , bytes]) => sum + aligned(bytes), head) + aligned(reason.length);
    const block = new Memory({ buffer: new ArrayBuffer(size) }, null);
    block.bytes(START, STRUCTS.snag_answer.size).set(memory.bytes(at, STRUCTS.snag_answer.size));
    let end = head;
    for (const [field, from, bytes] of parts) {
        block.set("snag_answer", START, field, from ? end : 0);
        if (from) block.bytes(end, bytes).set(memory.bytes(from, bytes));
        end += aligned(bytes);
    }
    block.set("snag_answer", START, "reason", end);
    block.bytes(end, reason.length).set(reason);
    return block.memory.buffer;
}

// bodyOfIndex: the bodies that it names, by their index.
export function unpackAnswer(buffer, bodyOfIndex) {
    return new Answer({ memory: new Memory({ buffer }, null), stamp: 0, bodyOfIndex, dispose() {} }, START);
}
