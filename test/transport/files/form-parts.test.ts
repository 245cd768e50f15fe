/** The parts of a form before its file are bounded together. */
import { describe, expect, it } from 'vitest'
import { readFormFile } from '../../../src/features/files/transport/multipart-file.ts'

const bodyOf = (text: string) => new Response(text).body ?? new ReadableStream<Uint8Array>()

const FILE = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n--b--'

describe('a form with other parts before its file', () => {
  it.each([
    ['without headers and content', '--b\r\n\r\n\r\n'],
    ['with content', `--b\r\n\r\n${'x'.repeat(100)}\r\n`],
    ['with headers', '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'],
  ])('is read after a few of them and refused after thousands: %s', async (_, part) => {
    expect(await readFormFile(bodyOf(part.repeat(9) + FILE), 'b')).toMatchObject({ name: 'a' })
    await expect(readFormFile(bodyOf(part.repeat(5_000) + FILE), 'b')).rejects.toThrow(
      'The form has too many fields',
    )
  })
})
