/**
 * Bounds how many sessions of one person store rows, at all resources together: otherwise each path of a form
 * such as `/mcp/{org}` would have as many of its own. An object of the kind `principals` counts them; beyond the limit, the
 * least recently used session ends. A session without rows costs nothing and is not counted.
 */
import type { Deployment } from '../../src/dispatch/call.ts'
import type { ObjectsOfKind } from '../../src/ports/objects.ts'
import type { SessionLimits } from '../../src/ports/session-limits.ts'
import type { SessionClaims } from '../../src/ports/sessions.ts'
import type { AuthInfo } from '../../src/protocol/auth-info.ts'
import { personDigest } from '../../src/protocol/principal.ts'
import type { PrincipalsObject } from '../keyring/principals-object.ts'
import { shardOf } from '../keyring/shards.ts'
import { callObject } from '../object-call.ts'
import { Setting } from './row-keys.ts'
import type { SessionStorage } from './session-storage.ts'

type Shards = ObjectsOfKind<Pick<PrincipalsObject, 'enterSession' | 'leaveSession'>>

export interface SessionQuotaContext {
  readonly storage: SessionStorage
  readonly client: { readonly claims: Pick<SessionClaims, 'name' | 'expiresAt'> }
  readonly limits: Pick<SessionLimits, 'perPrincipal'>
  readonly deployment: Pick<Deployment, 'audience' | 'services'>
}

/** What counts a session no longer. */
export interface Departure {
  /** Leaves the list. To be called again after an error; it may be called after a success. */
  leave(): Promise<void>
  /** Writes the rows again with which a later stay in memory leaves the list. */
  keep(): void
}

const NOT_COUNTED: Departure = { leave: async () => undefined, keep: () => undefined }

export class SessionQuota {
  readonly #shards: Shards | undefined
  readonly #context: SessionQuotaContext
  #hasEntered = false

  /** @param shards without their binding, sessions are not counted */
  constructor(shards: Shards | undefined, context: SessionQuotaContext) {
    this.#shards = shards
    this.#context = context
  }

  /**
   * Counts this session, once per stay in memory, and ends the least recently used ones beyond the
   * limit. Anonymous callers are no principal, so their sessions are not counted. Undefined when there is
   * nothing to do, as after nearly every request.
   */
  enter(auth: AuthInfo | undefined): Promise<void> | undefined {
    const shards = this.#shards
    if (this.#hasEntered || auth === undefined || shards === undefined) return undefined
    if (this.#context.storage.existing === undefined) return undefined
    this.#hasEntered = true
    return this.#enter(auth, shards)
  }

  async #enter(auth: AuthInfo, shards: Shards): Promise<void> {
    const { storage, client, limits, deployment } = this.#context
    const { audience, services } = deployment
    const person = await personDigest(auth)
    // The rows may have been deleted meanwhile.
    if (storage.existing === undefined) return
    const { name, expiresAt } = client.claims
    // Written before the list has the session: one that is killed in between leaves a list that it is not in.
    storage.statements.saveSetting(Setting.principal, person)
    const excess = await callObject(async () =>
      shards
        .named(shardOf(person))
        .enterSession(person, name, expiresAt, limits.perPrincipal, audience),
    )
    await Promise.all(excess.map(async (session) => services.sessions()?.terminate(session)))
  }

  async #leave(person: string, name: string): Promise<void> {
    const shard = this.#shards?.named(shardOf(person))
    await callObject(async () => shard?.leaveSession(person, name))
  }

  /**
   * Returns what counts this session no longer, to be called once its rows are deleted: a session that was
   * killed before that stays in the list, so that the deletion of its person finds it again.
   */
  depart(): Departure {
    const { storage, client } = this.#context
    const person = storage.existing?.setting(Setting.principal)
    const claims = storage.existing?.setting(Setting.claims)
    this.#hasEntered = false
    if (person === undefined || this.#shards === undefined) return NOT_COUNTED
    const { name } = client.claims
    return {
      leave: () => this.#leave(person, name),
      keep: () => {
        storage.statements.saveSetting(Setting.principal, person)
        if (claims !== undefined) storage.statements.saveSetting(Setting.claims, claims)
      },
    }
  }
}
