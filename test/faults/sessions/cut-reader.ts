/** A client that cuts its connection after a given number of bytes of a response body. */
import { connect } from 'node:net'
import { bounded } from './bounded.ts'
import { ChunkedBody } from './chunked-body.ts'

/** Sends a request and returns the first `count` bytes of the response body, or all of a shorter one. */
export async function readAndCut(
  url: string,
  request: string,
  count: number,
  how: 'fin' | 'reset',
): Promise<Buffer> {
  const body = await readWhile(url, request, how, (read) => read.length < count)
  return body.subarray(0, count)
}

/** Sends a request and returns the response body as soon as it contains a text. */
export function readUntil(url: string, request: string, text: string): Promise<Buffer> {
  return readWhile(url, request, 'fin', (read) => !read.includes(text))
}

function readWhile(
  url: string,
  request: string,
  how: 'fin' | 'reset',
  wantsMore: (read: Buffer) => boolean,
): Promise<Buffer> {
  const { hostname, port } = new URL(url)
  const reading = new Promise<Buffer>((resolve, reject) => {
    const body = new ChunkedBody()
    const socket = connect(Number(port), hostname, () => socket.write(request))
    const finish = () => {
      if (how === 'reset') socket.resetAndDestroy()
      else socket.destroy()
      resolve(body.data)
    }
    socket.on('error', reject).on('end', finish)
    socket.on('data', (bytes) => {
      body.push(bytes)
      if (body.isComplete || !wantsMore(body.data)) finish()
    })
  })
  return bounded(reading, 'the bytes of a response')
}
