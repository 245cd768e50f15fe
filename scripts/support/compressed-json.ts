/** Compressed JSON files. The window of Brotli spans a whole file, so repeated content costs little. */
import { readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'

const PARAMS = {
  [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
}

export function writeCompressed(path: string, value: unknown): void {
  writeFileSync(path, brotliCompressSync(JSON.stringify(value), { params: PARAMS }))
}

/** @throws {Error} when the file does not exist or is not compressed JSON */
export function readCompressed<T>(path: string): T {
  const bytes = readFileSync(path)
  try {
    return JSON.parse(brotliDecompressSync(bytes).toString())
  } catch (cause) {
    throw new Error(`${path} is not compressed JSON`, { cause })
  }
}
