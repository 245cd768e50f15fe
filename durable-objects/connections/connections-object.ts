/** The object with the accounts of one person at other services. */

import type { Service } from '../../src/features/connections/service.ts'
import type {
  AccountChange,
  AccountView,
  App,
  Connected,
  NewAccount,
  NewVisit,
  Person,
  ShownAccount,
  Use,
  Used,
  Visit,
  VisitEnd,
} from '../../src/features/connections/store.ts'
import { sha256Base64Url } from '../../src/platform/digest.ts'
import { randomToken } from '../../src/platform/random-token.ts'
import { FOLLOW_MARGIN_MS, SingleFlight } from '../../src/platform/single-flight.ts'
import { openJson, type Sealer, sealJson } from '../../src/ports/sealer.ts'
import type { TelemetrySink } from '../../src/ports/telemetry.ts'
import { EarliestAlarm } from '../earliest-alarm.ts'
import { ObjectPart } from '../object-part.ts'
import { Tables } from '../tables.ts'
import { labelOf, StoredAccounts, scopesIn } from './accounts.ts'
import { type AccountRow, createConnectionStatements, MIGRATIONS, type VisitRow } from './schema.ts'

/** Pages of one person that are open at the same time. */
const MAX_VISITS = 20

/** Calls that wait for one page. */
const MAX_WEBHOOKS = 20

/** A seal can be opened for 90 days, so one that is used is renewed long before. */
const RESEAL_AFTER_MS = 30 * 24 * 60 * 60 * 1000

const MAX_SEAL_LENGTH = 200_000

/** A token that ends sooner is renewed, so that a handler has time to use it. */
const MARGIN_MS = 60_000

/** From the first request to a service to the last. */
const RENEWAL_TIMEOUT_MS = 20_000

/** What the objects of one server get of their app. */
export interface ConnectionsHost {
  /** Undefined for a connection that the app has lost. */
  readonly service: (connection: string) => Service | undefined
  readonly maxAccounts: number
  readonly sealer: (env: unknown) => Sealer
  readonly report: TelemetrySink
}

/** The tokens of an account: props of its login. */
type Props = { readonly [key: string]: unknown }

/**
 * The accounts of one person at the services of one server.
 *
 * Layout: one row for each account, for each app that is admitted to it, and for each page that is open. Lifetime: an
 * account stays until the person ends it, a page until it expires. Trade-off: storage and keyring together open the
 * tokens, because work without the person needs them.
 *
 * Renewal: only here, one at a time for each account, and the answer of the service is stored before anything else. A kill
 * before the answer changes nothing. After one between answer and row the old token is tried once more, and the connection
 * ends if the service refuses it.
 */
export class ConnectionsObject extends ObjectPart {
  readonly #tables = new Tables(this.ctx.storage, MIGRATIONS, createConnectionStatements)
  readonly #accounts = new StoredAccounts(this.#tables)
  readonly #alarm = new EarliestAlarm(this.ctx, this.#tables.existing !== undefined)
  readonly #renewals = new SingleFlight<Props | 'ended' | 'unavailable'>(
    RENEWAL_TIMEOUT_MS + FOLLOW_MARGIN_MS,
  )
  readonly #host: ConnectionsHost

  constructor(ctx: DurableObjectState, env: Cloudflare.Env, host: ConnectionsHost) {
    super(ctx, env)
    this.#host = host
  }

  async use(person: Person, use: Use): Promise<Used> {
    const chosen = this.#accounts.choose(use)
    if (chosen.kind !== 'account') return chosen
    const { account: row } = chosen
    const props = await this.#presentProps(person, row, use.refused)
    if (props === 'unavailable') return { kind: 'unavailable' }
    const service = this.#host.service(row.connection)
    const token = props === 'ended' ? undefined : service?.tokenIn(props)
    if (token === undefined) return { kind: 'none' }
    this.#accounts.used(row, use.client, Date.now())
    return { kind: 'token', account: { id: row.account, label: labelOf(row) }, ...token }
  }

  async labels(client: string): Promise<Readonly<Record<string, readonly string[]>>> {
    return this.#accounts.labels(client)
  }

  async ask(visit: NewVisit): Promise<string | undefined> {
    const now = Date.now()
    const { statements } = this.#tables
    const { connection, client, scopes, about, webhook, expiresAt } = visit
    const wanted = JSON.stringify([connection, client, scopes])
    const open = statements.openVisit(wanted, now)
    if (open !== undefined) {
      const webhooks = webhooksOf(open)
      if (webhook !== undefined && !webhooks.includes(webhook)) webhooks.push(webhook)
      if (webhooks.length > MAX_WEBHOOKS) return undefined
      statements.changeVisit(open.id, {
        webhooks: JSON.stringify(webhooks),
        expires_at: Math.max(open.expires_at, expiresAt),
      })
    } else if (statements.countOpenVisits(now) >= MAX_VISITS) return undefined
    const id = open?.id ?? randomToken()
    if (open === undefined) {
      statements.addVisit({
        ...{ id, wanted, connection, client },
        client_name: about.app ?? client,
        scopes: scopes.join(' '),
        about: JSON.stringify(about),
        state: 'open',
        webhooks: JSON.stringify(webhook === undefined ? [] : [webhook]),
        expires_at: expiresAt,
      })
    }
    this.#alarm.wakeAt(expiresAt)
    return id
  }

  async visit(id: string): Promise<Visit | undefined> {
    const row = this.#visit(id)
    return (
      row && {
        ...{ id, connection: row.connection, client: row.client, state: row.state },
        scopes: scopesIn(row.scopes),
        about: JSON.parse(row.about),
        expiresAt: row.expires_at,
      }
    )
  }

  async admit(visit: string, key: string): Promise<boolean> {
    const row = this.#visit(visit)
    return row?.state === 'open' && this.#accounts.admit(row, key, Date.now())
  }

  async admitApp(app: App, accounts: readonly ShownAccount[]): Promise<void> {
    if (this.#tables.existing === undefined) return
    this.#tables.transaction(() => {
      for (const { key, connection, scopes } of accounts) {
        const { client, name: client_name } = app
        const shown = { connection, client, client_name, scopes: scopes.join(' ') }
        this.#accounts.admit(shown, key, Date.now())
      }
    })
  }

  async connect(person: Person, visit: string, account: NewAccount): Promise<Connected> {
    const { connection } = this.#visit(visit) ?? {}
    if (connection === undefined) return 'over'
    const sealed = await this.#seal(person, connection, account.id, account.props)
    // Only now, after the last await: what is decided is written at once.
    const row = this.#visit(visit)
    if (row?.state !== 'open') return 'over'
    return this.#tables.transaction(() =>
      this.#accounts.connect(row, account, sealed, this.#host.maxAccounts, Date.now()),
    )
  }

  async settle(visit: string, end: VisitEnd, as?: string): Promise<readonly string[]> {
    const row = this.#visit(visit)
    if (row === undefined) return []
    if (row.state === 'open') {
      const about = JSON.stringify({ ...JSON.parse(row.about), as })
      this.#tables.statements.changeVisit(visit, { state: end, about })
    }
    return webhooksOf(row)
  }

  async list(): Promise<readonly AccountView[]> {
    return this.#accounts.list()
  }

  async change(key: string, change: AccountChange): Promise<boolean> {
    return this.#tables.transaction(() => this.#accounts.change(key, change))
  }

  async end(person: Person, key: string): Promise<boolean> {
    const row = this.#tables.existing?.account(key)
    if (row === undefined) return false
    this.#tables.statements.deleteAccount(key)
    await this.#revoke(person, row)
    await this.#dropIfUnused()
    return true
  }

  async dismiss(client: string): Promise<void> {
    this.#tables.existing?.dismiss(client)
  }

  async erase(person: Person): Promise<number> {
    const rows = this.#tables.existing?.accounts() ?? []
    if (this.#tables.existing !== undefined) {
      this.#alarm.reset()
      await this.#tables.drop()
    }
    await Promise.all(rows.map((row) => this.#revoke(person, row)))
    return rows.length
  }

  async alarm(): Promise<void> {
    this.#alarm.reset()
    this.#tables.existing?.deleteVisitsBefore(Date.now())
    const next = this.#tables.existing?.nextExpiry()
    if (next !== undefined) this.#alarm.wakeAt(next)
    await this.#dropIfUnused()
  }

  /** The props of an account, renewed where its token ends or the service has refused it. */
  async #presentProps(
    person: Person,
    row: AccountRow,
    refused: string | undefined,
  ): Promise<Props | 'ended' | 'unavailable'> {
    const service = this.#host.service(row.connection)
    const props = await this.#open(person, row)
    const token = props && service?.tokenIn(props)
    if (props === undefined || token === undefined) return this.#ended(row)
    const isRefused =
      refused !== undefined && (await sha256Base64Url(token.accessToken)) === refused
    const now = Date.now()
    const isFresh = (token.expiresAt ?? Number.POSITIVE_INFINITY) > now + MARGIN_MS
    if (isFresh && !isRefused) {
      if (now - row.sealed_at > RESEAL_AFTER_MS) await this.#store(person, row, props)
      return props
    }
    const renewed = await this.#renewals.run(row.id, () => this.#renew(person, row, props))
    const hasTimeLeft = (token.expiresAt ?? 0) > now && !isRefused
    return renewed === 'unavailable' && hasTimeLeft ? props : renewed
  }

  async #renew(
    person: Person,
    row: AccountRow,
    props: Props,
  ): Promise<Props | 'ended' | 'unavailable'> {
    const service = this.#host.service(row.connection)
    if (service === undefined) return 'unavailable'
    // A renewal that has ended meanwhile has stored another token.
    const present = this.#tables.existing?.account(row.id)
    if (present?.sealed == null) return 'ended'
    if (present.sealed !== row.sealed) return (await this.#open(person, present)) ?? 'ended'
    const renewed = await service.renew(props, row.account, this.env)
    if (renewed.kind === 'unavailable') {
      this.#host.report({ type: 'internal-error', error: renewed.error })
      return 'unavailable'
    }
    if (renewed.kind === 'ended') return this.#ended(row)
    await this.#store(person, row, renewed.props)
    // The service may have given the token of another account.
    const isSame = await service.isAccount(renewed.props, row.account, this.env)
    return isSame ? renewed.props : this.#ended(row)
  }

  #ended({ id }: AccountRow): 'ended' {
    this.#tables.existing?.changeAccount(id, { sealed: null, is_default: 0 })
    return 'ended'
  }

  /** Ends the tokens at the service. One that does not answer ends them by itself. */
  async #revoke(person: Person, row: AccountRow): Promise<void> {
    const props = await this.#open(person, row)
    if (props === undefined) return
    try {
      await this.#host.service(row.connection)?.revoke(props, this.env)
    } catch (error) {
      this.#host.report({ type: 'internal-error', error })
    }
  }

  async #store(person: Person, { id, connection, account }: AccountRow, props: Props) {
    const sealed = await this.#seal(person, connection, account, props)
    this.#tables.existing?.changeAccount(id, { sealed, sealed_at: Date.now() })
  }

  #seal(person: Person, connection: string, account: string, props: object): Promise<string> {
    const sealer = this.#host.sealer(this.env)
    return sealJson(sealer, 'connection/1', props, contextOf(person, connection, account))
  }

  async #open(
    person: Person,
    { connection, account, sealed }: AccountRow,
  ): Promise<Props | undefined> {
    if (sealed === null) return undefined
    const context = contextOf(person, connection, account)
    const sealer = this.#host.sealer(this.env)
    return openJson<Props>(sealer, 'connection/1', sealed, context, MAX_SEAL_LENGTH)
  }

  #visit(id: string): VisitRow | undefined {
    const row = this.#tables.existing?.visit(id)
    return row && row.expires_at > Date.now() ? row : undefined
  }

  #dropIfUnused(): Promise<void> {
    const isUnused = () => this.#tables.existing?.countRows() === 0
    return this.#tables.dropIfUnused(this.ctx, this.#alarm, isUnused)
  }
}

/** What the seal of the tokens is bound to. */
const contextOf = ({ issuer, subject }: Person, connection: string, account: string) =>
  JSON.stringify([issuer, subject, connection, account])

const webhooksOf = ({ webhooks }: VisitRow): string[] => JSON.parse(webhooks)
