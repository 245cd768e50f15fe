/** Joins pieces of bytes to one. One alone is not copied. No piece is of shared memory, which a Worker does not have. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const [first] = pieces
  if (first !== undefined && pieces.length === 1) return first as Uint8Array<ArrayBuffer>
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
