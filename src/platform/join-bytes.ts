/** Joins pieces of bytes to one. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  let size = 0
  for (const piece of pieces) size += piece.byteLength
  const joined = new Uint8Array(size)
  let offset = 0
  for (const piece of pieces) {
    joined.set(piece, offset)
    offset += piece.byteLength
  }
  return joined
}
