/**
 * The server that the objects of a class belong to. Several servers of one Worker need a class and a binding each,
 * because handlers run in the object. Under the binding of another server, a request would reach the tools of that
 * server without its authorization, so the object refuses it.
 */

import { isSameServer, OtherServerError, serverLabel } from '../../src/protocol/served-server.ts'
import type { BindingOption } from '../shared-bindings.ts'

/** Interval of the alarms of an object whose rows another server of the Worker has stored. */
export const OTHER_SERVER_ALARM_MS = 60 * 60 * 1000

export class ServerGuard {
  readonly #own: string
  readonly #option: BindingOption
  /** The last text that was compared and is this server. */
  #known: string

  constructor(own: string, option: BindingOption) {
    this.#own = own
    this.#option = option
    this.#known = own
  }

  /** Undefined, as an earlier version sends and stores it, is any server: seals are compared instead. */
  accepts(server: string | undefined): boolean {
    if (server === undefined || server === this.#known) return true
    const isSame = isSameServer(this.#own, server)
    if (isSame) this.#known = server
    return isSame
  }

  /** @throws {OtherServerError} that names both servers and the option */
  check(server: string | undefined): void {
    if (!this.accepts(server)) throw this.error(server)
  }

  /** @param server undefined for one that an earlier version does not name */
  error(server?: string): OtherServerError {
    const kind = this.#option === 'sessions' ? 'session' : 'task'
    const other = server === undefined ? 'another server' : `the server ${serverLabel(server)}`
    return new OtherServerError(
      `The ${kind} objects of this binding are those of the server ${serverLabel(this.#own)}, and ${other} of the Worker uses them too. Export a class for each server, and name its binding in ${this.#option}({ binding })`,
    )
  }
}
