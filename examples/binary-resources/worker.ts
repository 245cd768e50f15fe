/**
 * Binary resources: a handler returns bytes, and clients receive base64. The example serves colors as BMP
 * images through a resource template, and one color as an image in a tool result.
 *
 *     npx wrangler dev examples/binary-resources/worker.ts
 */
import * as z from 'zod'
import { createEdgeway, createServer, ResourceTemplate } from '../../src/index.ts'

const COLOR = /^[0-9a-f]{6}$/
const MIME_TYPE = 'image/bmp'
const HEADER_BYTES = 54
const SIDE = 16

const server = createServer({ name: 'swatches', version: '1.0.0' })

server.registerResource(
  'swatch',
  new ResourceTemplate('swatch://color/{hex}', { list: undefined }),
  { title: 'Swatch', mimeType: MIME_TYPE, cacheScope: 'public', ttlMs: 86_400_000 },
  (_, { hex }) => (COLOR.test(String(hex)) ? drawSwatch(String(hex)) : undefined),
)

server.registerTool(
  'show_color',
  {
    title: 'Show a color',
    description: 'A square of one color as an image',
    inputSchema: z.object({ hex: z.string().regex(COLOR).describe('Such as ff8800') }),
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  },
  ({ hex }) => [
    { type: 'image', data: btoa(String.fromCharCode(...drawSwatch(hex))), mimeType: MIME_TYPE },
    { type: 'resource_link', uri: `swatch://color/${hex}`, name: hex, mimeType: MIME_TYPE },
  ],
)

/** Draws an uncompressed bitmap with 24 bits per pixel. */
function drawSwatch(hex: string): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + SIDE * SIDE * 3)
  const view = new DataView(bytes.buffer)
  bytes.set([0x42, 0x4d]) // "BM"
  view.setUint32(2, bytes.length, true)
  view.setUint32(10, HEADER_BYTES, true)
  view.setUint32(14, 40, true) // length of the second header
  view.setInt32(18, SIDE, true)
  view.setInt32(22, SIDE, true)
  view.setUint32(26, (24 << 16) | 1, true) // bits per pixel, planes
  const color = Number.parseInt(hex, 16)
  // Blue, green, red: the bytes of the number, least significant first.
  const pixel = [color & 255, (color >> 8) & 255, color >> 16]
  for (let at = HEADER_BYTES; at < bytes.length; at += 3) bytes.set(pixel, at)
  return bytes
}

export default createEdgeway(server)
