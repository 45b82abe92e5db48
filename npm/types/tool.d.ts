type ToolSource = URL | string | BufferSource | WebAssembly.Module;

/** Runs `snag ARGS` on files in memory. code: 0 clean, 1 contacts found, 2 error. */
export function tool(
    args: string[],
    options?: {
        files?: Record<string, Uint8Array | ArrayBuffer>;
        /** In place of the package's own snag-tool.wasm, snag-tool-files.wasm and snag-tool-more.wasm, for bundlers that move files. */
        wasm?: [ToolSource, ToolSource, ToolSource];
        /** The report page, for --report: what stands before and after a report's blocks. */
        page?: [Uint8Array, Uint8Array] | (() => [Uint8Array, Uint8Array]);
        /** Return false to stop. */
        onProgress?: (done: number) => boolean | void;
    },
): Promise<{ code: number; stdout: string; stderr: string; files: Record<string, Uint8Array> }>;
