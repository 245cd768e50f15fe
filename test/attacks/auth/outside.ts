/** The rest of the world: whatever the Worker asks for outside arrives here, and is written down. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A reply, or something of one's own to do with the response. */
export type Play = (body: string, response: ServerResponse) => Reply | undefined

export interface Outside {
  readonly url: string
  /** Every URL that was asked for, in order. */
  readonly asked: string[]
  /** What stands at a URL, without its query. Anything else is 404. */
  readonly plays: Map<string, Play>
  stop(): Promise<void>
}

export async function startOutside(): Promise<Outside> {
  const asked: string[] = []
  const plays = new Map<string, Play>()
  const server = createServer((incoming, response) => {
    const target = incoming.headers['x-original-url']
    const url =
      typeof target === 'string' ? target : `http://${incoming.headers.host}${incoming.url}`
    asked.push(url)
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('error', () => undefined)
    incoming.on('end', () => {
      const play = plays.get(url.split('?')[0] ?? '')
      const reply =
        play === undefined ? { status: 404 } : play(Buffer.concat(chunks).toString(), response)
      if (reply === undefined) return
      const { status = 200, headers = {}, body = '' } = reply
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('No port was given')
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    plays,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
