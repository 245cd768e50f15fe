/**
 * The callers of runs. A run has one caller, the one that started it. Its row keeps the caller as a
 * sealed record, and every resume checks the caller's access again.
 */

import { decodeUtf8, encodeUtf8 } from '../../src/platform/utf8.ts'
import type { CallerGrant, CallerRecord } from '../../src/ports/authenticator.ts'
import type { Sealer } from '../../src/ports/sealer.ts'
import type { AuthInfo } from '../../src/protocol/auth-info.ts'
import type { RunHost } from './run-host.ts'

/** The caller as a request brings it; without `auth` on a server without authorization. */
export interface RunCaller {
  readonly auth: AuthInfo | undefined
  readonly grant: CallerGrant | undefined
}

/** A record made within this time is used again: it says when its caller was authenticated. */
const PRECISION_MS = 60_000

export interface CallerRecordsContext {
  readonly host: Pick<RunHost, 'renewCaller' | 'allowsAnonymous'>
  readonly env: unknown
  readonly sealer: () => Sealer | undefined
  /** The name of the object: a record of another object does not open. */
  readonly nameOf: () => string
}

export class CallerRecords {
  readonly #context: CallerRecordsContext
  /** The latest record, because most requests of an object have the same caller. */
  #latest: { readonly text: string; readonly sealed: string } | undefined

  constructor(context: CallerRecordsContext) {
    this.#context = context
  }

  /** Seals a caller. Null for an anonymous caller, whose runs have no record. */
  seal({ auth, grant }: RunCaller): string | null | Promise<string> {
    if (auth === undefined) return null
    const at = Math.floor(Date.now() / PRECISION_MS) * PRECISION_MS
    const { props: _, ...withoutProps } = auth
    // The grant has the props, and returns the present ones when the run resumes.
    const text = JSON.stringify({ auth: grant === undefined ? auth : withoutProps, grant, at })
    return this.#latest?.text === text ? this.#latest.sealed : this.#seal(text)
  }

  /**
   * Returns the caller of a record as it is now; undefined when its access has ended, and for a record
   * that does not open. Rejects when that cannot be determined now.
   */
  async renew(sealed: string | null): Promise<RunCaller | undefined> {
    const { host, env } = this.#context
    const { renewCaller, allowsAnonymous } = host
    // A run without a record is that of an anonymous caller.
    if (renewCaller === undefined || (sealed === null && allowsAnonymous)) {
      return { auth: undefined, grant: undefined }
    }
    const record = await this.open(sealed)
    const auth = record && (await renewCaller(record, env))
    return auth && { auth, grant: record.grant }
  }

  /** Returns the caller as it was recorded, whose access may have ended; undefined for a record that does not open. */
  async open(sealed: string | null): Promise<CallerRecord | undefined> {
    const { nameOf } = this.#context
    const opened = sealed && (await this.#sealer().open('run-caller/1', sealed, nameOf()))
    return opened ? (JSON.parse(decodeUtf8(opened)) as CallerRecord) : undefined
  }

  async #seal(text: string): Promise<string> {
    const sealer = this.#sealer()
    const sealed = await sealer.seal('run-caller/1', encodeUtf8(text), this.#context.nameOf())
    this.#latest = { text, sealed }
    return sealed
  }

  #sealer(): Sealer {
    const sealer = this.#context.sealer()
    if (sealer === undefined)
      throw new TypeError('The caller of a run needs the keyring to be sealed with')
    return sealer
  }
}
