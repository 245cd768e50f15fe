/**
 * Creates or refreshes a subscription: reserves it, verifies its callback, registers it at the log and activates it. Every
 * step but the last may be interrupted, and the last one is done only for the call that still holds the row: what has ended
 * or was replaced meanwhile is not revived.
 */
import { randomToken } from '../../../src/platform/random-token.ts'
import { invalid, type Result, valid } from '../../../src/platform/result.ts'
import type { CompiledEventType } from '../../../src/ports/event-types.ts'
import type { Registered, Subscribed, SubscribeRequest } from '../../../src/ports/events.ts'
import type { DeliveryStatus, EventError } from '../../../src/protocol/events.ts'
import { grantedTtl } from './decide-ttl.ts'
import type { Endings } from './endings.ts'
import { logNameOf, type SubscriberParts } from './parts.ts'
import type { SubscriptionRow } from './schema.ts'
import type { Statements } from './statements.ts'
import { subscriptionId } from './subscription-id.ts'
import { verifyCallback } from './verification.ts'

/** Longer than the verification of a callback and the registration together. */
const RESERVATION_MS = 5 * 60_000

export async function subscribe(
  parts: SubscriberParts,
  endings: Endings,
  request: SubscribeRequest,
): Promise<Result<Subscribed, EventError>> {
  const id = await subscriptionId(parts.name, request)
  endings.sweep(parts.now)
  const type = parts.context.host.types.get(request.type)
  const refuse = (error: EventError): Result<never, EventError> => {
    const reason = String(Object.values(error.data)[0] ?? error.name)
    parts.reportSubscription({ id, type: request.type }, { outcome: 'refused', reason })
    return invalid(error)
  }
  if (type === undefined) return refuse({ name: 'NotFound', data: { kind: 'event' } })
  const refusal = refusalOfType(type, request)
  if (refusal !== undefined) return refuse(refusal)
  const operation = randomToken(16)
  const row = reserve(parts, id, request, type, operation)
  if (row === undefined) {
    const max = parts.limits.subscriptionsPerPrincipal
    return refuse({ name: 'ResourceExhausted', data: { limit: 'subscriptions', max } })
  }
  const attempt = new Subscribing(parts, endings, request, row, operation)
  try {
    const result = await attempt.run()
    return result.ok ? result : refuse(result.error)
  } catch (error) {
    refuse({ name: 'CallbackEndpointError', data: { reason: 'internal_error' } })
    throw error
  }
}

function refusalOfType(
  { delivery, isPersonal }: CompiledEventType,
  { subject }: SubscribeRequest,
): EventError | undefined {
  if (!delivery.includes('webhook')) {
    return { name: 'Unsupported', data: { feature: 'deliveryMode', value: 'webhook' } }
  }
  return isPersonal && subject === undefined ? { name: 'Forbidden', data: {} } : undefined
}

/** Makes the call the one that may activate the row. Undefined when the principal has too many. */
function reserve(
  { storage, limits, now }: SubscriberParts,
  id: string,
  request: SubscribeRequest,
  { isPersonal }: CompiledEventType,
  operation: string,
): SubscriptionRow | undefined {
  const { existing } = storage
  const known = existing?.subscription(id)
  const count = existing?.countSubscriptions() ?? 0
  if (known === undefined && count >= limits.subscriptionsPerPrincipal) return undefined
  const held = { operation, operation_until: now + RESERVATION_MS }
  return storage.write((statements) => {
    if (known !== undefined) {
      statements.saveSubscription(known.registration, held)
    } else {
      const { type, url, arguments: args, caller, profile } = request
      statements.insertSubscription({
        ...held,
        id,
        registration: `${id}.${randomToken(9)}`,
        type,
        url,
        arguments: args,
        subject: request.subject ?? null,
        is_personal: Number(isPersonal),
        client_id: caller?.auth.clientId ?? null,
        grant_id: caller?.grant?.id ?? null,
        profile,
        state: 'reserved',
        created_at: now,
      })
    }
    return statements.subscription(id)
  })
}

/** One call, from its reservation on. */
class Subscribing {
  readonly #parts: SubscriberParts
  readonly #endings: Endings
  readonly #request: SubscribeRequest
  readonly #row: SubscriptionRow
  readonly #operation: string
  #hasRegistered = false

  constructor(
    parts: SubscriberParts,
    endings: Endings,
    request: SubscribeRequest,
    row: SubscriptionRow,
    operation: string,
  ) {
    this.#parts = parts
    this.#endings = endings
    this.#request = request
    this.#row = row
    this.#operation = operation
  }

  /** Rejects when the log does, and when the keyring is unreachable. */
  async run(): Promise<Result<Subscribed, EventError>> {
    let subscribed: Subscribed | undefined
    try {
      const error = await verifyCallback(
        this.#parts,
        this.#row.id,
        this.#request,
        () => this.#isCurrent,
      )
      if (error !== undefined) return invalid(error)
      subscribed = await this.#register()
    } finally {
      if (subscribed === undefined) this.#release()
    }
    if (subscribed !== undefined) return valid(subscribed)
    // The key was unsubscribed or ended meanwhile, or a later call has it.
    return invalid({ name: 'ResourceExhausted', data: { limit: 'concurrent_requests', max: 1 } })
  }

  async #register(): Promise<Subscribed | undefined> {
    const { callers, context, name } = this.#parts
    const { caller, start } = this.#request
    const { id, registration, subject, arguments: args, state } = this.#row
    const sealedSecret = await this.#sealSecret()
    const record = caller === undefined ? null : await callers.seal(caller)
    if (!this.#isCurrent) return undefined
    this.#hasRegistered = true
    const registered = await context.log.register(logNameOf(this.#row), {
      id: registration,
      principal: name,
      subject: subject ?? undefined,
      arguments: args,
      // A live subscription continues, wherever its client has read to.
      start: state === 'reserved' ? start : undefined,
    })
    return this.#parts.storage.write((statements) => {
      const row = statements.subscription(id)
      if (row?.operation !== this.#operation) return undefined
      return this.#activate(statements, row, registered, { secret: sealedSecret, caller: record })
    })
  }

  /** Nothing is rotated by the same secret. */
  async #sealSecret(): Promise<string> {
    const { secrets } = this.#parts
    const { id, secret } = this.#row
    const current = secret === null ? undefined : await secrets.open(id, secret)
    if (secret !== null && current === this.#request.secret) return secret
    return secrets.seal(id, this.#request.secret)
  }

  #activate(
    statements: Statements,
    row: SubscriptionRow,
    { log, position, truncated }: Registered,
    sealed: Pick<SubscriptionRow, 'secret' | 'caller'>,
  ): Subscribed {
    const { now, limits, context } = this.#parts
    const { caller, profile, type } = this.#request
    const ttl = grantedTtl(this.#request.ttlMs, context.host.settings)
    const expiresAt = ttl === null ? null : now + ttl
    const isSameLog = row.log === null || row.log === log
    const accepted = isSameLog ? Math.max(row.accepted, position) : position
    const hasNewSecret = row.secret !== null && row.secret !== sealed.secret
    statements.saveSubscription(row.registration, {
      ...sealed,
      ...(hasNewSecret && {
        previous_secret: row.secret,
        previous_until: now + limits.secretOverlapMs,
      }),
      ...(row.state === 'suspended' && { outcomes: '[]' }),
      state: 'active',
      operation: null,
      operation_until: null,
      client_id: caller?.auth.clientId ?? null,
      grant_id: caller?.grant?.id ?? null,
      profile,
      expires_at: expiresAt,
      log,
      accepted,
      lost: 0,
    })
    const isNew = row.secret === null
    this.#parts.reportSubscription(row, { outcome: isNew ? 'created' : 'refreshed' })
    const hasCursors = this.#parts.hasCursors(type)
    const oldest = statements.oldestPending(row.registration, log)
    return {
      id: row.id,
      expiresAt,
      position: hasCursors
        ? { log, position: oldest === undefined ? accepted : oldest - 1 }
        : undefined,
      truncated: hasCursors && (truncated || row.lost === 1 || !isSameLog),
      status: isNew ? undefined : statusOf(row),
    }
  }

  get #isCurrent(): boolean {
    const row = this.#parts.storage.existing?.subscription(this.#row.id)
    return row?.operation === this.#operation
  }

  /** A call that has failed leaves a live subscription as it is, and no reservation. */
  #release(): void {
    const { existing } = this.#parts.storage
    const row = existing?.subscription(this.#row.id)
    if (row?.operation === this.#operation && row.state === 'reserved') {
      this.#endings.remove(row, this.#hasRegistered)
    } else if (this.#hasRegistered && existing?.registered(this.#row.registration) === undefined) {
      // It has ended before the log knew it.
      this.#endings.forget(this.#row)
    }
    this.#endings.unregisterSoon()
  }
}

/** As it was before this refresh. */
function statusOf({
  state,
  last_delivery_at,
  last_error,
  failed_since,
}: SubscriptionRow): DeliveryStatus {
  return {
    active: state !== 'suspended',
    ...(last_delivery_at !== null && { lastDeliveryAt: new Date(last_delivery_at).toISOString() }),
    lastError: last_error,
    ...(failed_since !== null && { failedSince: new Date(failed_since).toISOString() }),
  }
}
