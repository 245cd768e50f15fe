/** Connects the official client to the fixture server, in the modern or in a session era. */
// features: auth
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { inject } from 'vitest'

/** `modern` pins the client to 2026-07-28; `session` is its default mode. */
export type Mode = 'modern' | 'session'

export const MODES: readonly Mode[] = ['modern', 'session']

export interface ConnectOptions {
  readonly url?: string
  readonly fetch?: typeof fetch
  readonly client?: Pick<ClientOptions, 'capabilities' | 'inputRequired' | 'listChanged'>
}

export async function connect(
  mode: Mode,
  { url = inject('fixtureUrl'), fetch: fetchWith = fetch, client: options }: ConnectOptions = {},
): Promise<Client> {
  const client = new Client(
    { name: 'edgeway-test', version: '1.0.0' },
    mode === 'modern'
      ? { ...options, versionNegotiation: { mode: { pin: '2026-07-28' } } }
      : { ...options },
  )
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: fetchWith }))
  return client
}

/** The text of a result that is one text block. @throws for any other result */
export function textOf({ content }: { readonly content: readonly object[] }): string {
  const [block] = content
  if (content.length !== 1 || block === undefined || !('text' in block)) {
    throw new Error(`Not one text block: ${JSON.stringify(content)}`)
  }
  return String(block.text)
}
