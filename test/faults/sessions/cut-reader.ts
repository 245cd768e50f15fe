/** A client whose connection is cut after so many bytes of an answer, wherever that is. */
import { connect } from 'node:net'
import { bounded } from './bounded.ts'
import { ChunkedBody } from './chunked-body.ts'

/**
 * Sends a request and takes so many bytes of the answer's body and not one more: fewer where it is
 * shorter.
 */
export async function readAndCut(
  url: string,
  request: string,
  count: number,
  how: 'fin' | 'reset',
): Promise<Buffer> {
  const body = await readWhile(url, request, how, (read) => read.length < count)
  return body.subarray(0, count)
}

/** Sends a request and takes the answer's body as far as it has come when it holds a text. */
export function readUntil(url: string, request: string, text: string): Promise<Buffer> {
  return readWhile(url, request, 'fin', (read) => !read.includes(text))
}

function readWhile(
  url: string,
  request: string,
  how: 'fin' | 'reset',
  goesOn: (read: Buffer) => boolean,
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
      if (body.whole || !goesOn(body.data)) finish()
    })
  })
  return bounded(reading, 'bytes of an answer')
}
