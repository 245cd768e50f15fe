/** The server of `test/fixtures/event-load`, its callers, and what it counts. */
import { Agent, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { PROJECT_DIRECTORY } from '../../../../../scripts/support/project.ts'
import { requestOf } from '../../../../../test/attacks/modern.ts'
import { PersistentServer } from '../../../../../test/faults/sessions/persistent-server.ts'
import type {
  Accepted,
  LoadEmit,
  LoadEmitted,
} from '../../../../../test/fixtures/event-load/messages.ts'

const CONFIG = join(PROJECT_DIRECTORY, 'test/fixtures/event-load/wrangler.toml')

/** The secret of every callback of the load. */
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

export interface Counts {
  readonly objectRequests: number
  readonly alarms: number
  readonly rowsRead: number
  readonly rowsWritten: number
}

export interface LoadSubscription {
  readonly principal: number
  readonly type: string
  readonly room: string
  readonly url: string
}

/** The answer to a subscribe. */
export interface LoadAnswer {
  readonly result?: { readonly id?: string }
  readonly error?: { readonly code: number; readonly message: string; readonly data?: object }
}

interface Answered {
  readonly status: number
  readonly body: unknown
}

export class LoadServer {
  readonly #server: PersistentServer
  readonly #agent = new Agent({ keepAlive: true })

  private constructor(server: PersistentServer) {
    this.#server = server
  }

  /** @param vars replace variables of the Worker */
  static async start(vars: Readonly<Record<string, string>> = {}): Promise<LoadServer> {
    const served = { configPath: CONFIG, vars, egress: { callbackOrigins: 'loopback' } } as const
    return new LoadServer(await PersistentServer.start(undefined, served))
  }

  get pid(): number {
    return this.#server.pid
  }

  get log(): string {
    return this.#server.log
  }

  async subscribe({ principal, type, room, url }: LoadSubscription): Promise<LoadAnswer> {
    const params = {
      ...{ name: type, arguments: { room }, cursor: null, ttlMs: 86_400_000 },
      delivery: { mode: 'webhook', url, secret: SECRET },
    }
    const request = requestOf(this.#path('/mcp'), 'events/subscribe', params)
    const authorization = `Bearer principal-${principal}`
    const headers = { ...Object.fromEntries(request.headers), authorization }
    return (await this.#send('/mcp', await request.text(), headers)).body as LoadAnswer
  }

  async emit(emit: Partial<LoadEmit> & Pick<LoadEmit, 'type'>): Promise<LoadEmitted> {
    const body = JSON.stringify({ room: 'all', count: 1, parallel: 1, ...emit })
    const { status, body: emitted } = await this.#send('/load/emit', body, {
      'content-type': 'application/json',
    })
    if (status !== 200) throw new Error(`emit was answered ${status}`)
    return emitted as LoadEmitted
  }

  async accepted(eventId: string): Promise<Accepted> {
    return (await this.#send(`/load/accepted/${eventId}`)).body as Accepted
  }

  /** Since the last call. */
  async counts(): Promise<Counts> {
    return (await this.#send('/counts')).body as Counts
  }

  async stop(): Promise<void> {
    this.#agent.destroy()
    await this.#server.stop()
  }

  #path(path: string): string {
    return new URL(path, this.#server.url).href
  }

  #send(path: string, body?: string, headers: Record<string, string> = {}): Promise<Answered> {
    const { promise, resolve, reject } = Promise.withResolvers<Answered>()
    const options = {
      agent: this.#agent,
      method: body === undefined ? 'GET' : 'POST',
      headers:
        body === undefined
          ? headers
          : { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    }
    httpRequest(this.#path(path), options, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => (text += part))
      response.on('error', reject)
      response.on('end', () => {
        try {
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) })
        } catch {
          reject(new Error(`${path} was answered ${response.statusCode}: ${text.slice(0, 500)}`))
        }
      })
    })
      .on('error', reject)
      .end(body)
    return promise
  }
}

/** Calls `work` for each item, some at a time. */
export async function some<T>(
  items: readonly T[],
  parallel: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const run = async () => {
    for (let index = next++; index < items.length; index = next++) {
      await work(items[index] as T, index)
    }
  }
  await Promise.all(Array.from({ length: parallel }, run))
}
