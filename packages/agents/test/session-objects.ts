/** The session objects of a moved agent: how a test evicts one. */
// features: sessions, changes, state, auth
import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { AuthInfo } from '../../../src/index.ts'
import { principalContext } from '../../../src/protocol/principal.ts'
import { testSealer } from '../../../test/support/objects.ts'

type Binding = 'COUNTER' | 'NOTES' | 'OTHER_NOTES'

/** The object of a session of an agent. `auth` is the caller, undefined for an anonymous one. */
export async function objectOf(binding: Binding, id: string, auth?: AuthInfo) {
  const sealer = testSealer()
  const opened = await sealer.open('session-id/1', id, principalContext(binding, auth))
  const { name } = JSON.parse(new TextDecoder().decode(opened))
  return env[binding].getByName(name)
}

/** What an object has in memory is gone. */
export async function evict(binding: Binding, id: string, auth?: AuthInfo): Promise<void> {
  await evictDurableObject(await objectOf(binding, id, auth))
}
