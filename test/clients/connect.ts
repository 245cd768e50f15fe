/** The official client, connected to the fixture server the way either half of the field does it. */
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { inject } from 'vitest'

/** Pinned to the modern revision, or as the client is when nobody configures it. */
export type Mode = 'modern' | 'session'

export const MODES: readonly Mode[] = ['modern', 'session']

export interface ConnectOptions {
  readonly url?: string
  readonly fetch?: typeof fetch
  /** What the client says it can do, and how it does it. */
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

/** What a text block says; for results that are known to be one. */
export function textOf({ content }: { readonly content: readonly object[] }): string {
  const [block] = content
  if (content.length !== 1 || block === undefined || !('text' in block)) {
    throw new Error(`Not one block of text: ${JSON.stringify(content)}`)
  }
  return String(block.text)
}
