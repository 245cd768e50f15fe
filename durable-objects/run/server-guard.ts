/**
 * The server that the objects of a class belong to. Several servers of one Worker need a class and a binding each,
 * because handlers run in the object. Under the binding of another server, a request would reach the tools of that
 * server without its authorization, so the object refuses it.
 */
import type { Deployment } from '../../src/dispatch/call.ts'
import { isSameServer, OtherServerError, serverLabel } from '../../src/protocol/served-server.ts'
import type { BindingOption } from '../shared-bindings.ts'
import { requiresCaller, type ServerHost } from './run-host.ts'

/** Interval of the alarms of an object whose rows another server of the Worker has stored. */
export const OTHER_SERVER_ALARM_MS = 60 * 60 * 1000

export interface ServerGuardContext {
  readonly host: ServerHost
  readonly deployment: Pick<Deployment, 'audience' | 'services' | 'report'>
  /** The server that has stored the rows; undefined without rows. */
  readonly storedServer: () => string | undefined
}

export class ServerGuard {
  protected readonly deployment: ServerGuardContext['deployment']
  /** Whether every caller has a token. */
  protected readonly requiresCaller: boolean
  readonly #own: string
  readonly #option: BindingOption
  readonly #storedServer: ServerGuardContext['storedServer']
  /** The last text that was compared and is this server. */
  #known: string

  constructor({ host, deployment, storedServer }: ServerGuardContext, option: BindingOption) {
    this.deployment = deployment
    this.requiresCaller = requiresCaller(host)
    this.#own = host.server
    this.#known = host.server
    this.#option = option
    this.#storedServer = storedServer
  }

  /** Whether the rows may be read, and their runs resumed. */
  get ownsRows(): boolean {
    const stored = this.#storedServer()
    return stored === undefined || this.accepts(stored)
  }

  /** Reports rows of another server. They stay: a deployment with the right class continues with them. */
  reportRows(): void {
    this.report(this.#storedServer())
  }

  /**
   * Returns the error of a request of another server, which it reports. A request of this server for rows of another
   * one has no error: what it names is unknown here (`ownsRows`), as when the only path of the server was replaced.
   */
  refusalOf(server: string | undefined): OtherServerError | undefined {
    return this.accepts(server) ? undefined : this.report(server)
  }

  /** @throws {OtherServerError} for a request of another server, which names both servers and the option */
  check(server: string | undefined): void {
    const refusal = this.refusalOf(server)
    if (refusal !== undefined) throw refusal
  }

  /** A request without a server is one of no server. */
  protected accepts(server: string | undefined): boolean {
    if (server === undefined) return false
    if (server === this.#known) return true
    const isSame = isSameServer(this.#own, server)
    if (isSame) this.#known = server
    return isSame
  }

  protected report(server: string | undefined): OtherServerError {
    const kind = this.#option.slice(0, -1)
    const other = server === undefined ? 'another server' : `the server ${serverLabel(server)}`
    const error = new OtherServerError(
      `The ${kind} objects of this binding are those of the server ${serverLabel(this.#own)}, and ${other} of the Worker uses them too. Export a class for each server, and name its binding in ${this.#option}({ binding })`,
    )
    this.deployment.report({ type: 'internal-error', error })
    return error
  }
}
