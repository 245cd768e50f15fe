/** A caller with an access token and a chain of refresh tokens. */

import type { Subject } from '../../clients/auth/browser.ts'
import type { RawResponse } from '../../clients/auth/raw.ts'
import { delay } from '../../faults/sessions/delay.ts'
import { send } from '../../faults/sessions/send.ts'
import {
  type HeldClient,
  obtainCode,
  redeem,
  refresh,
  register,
  revoke,
  type Tokens,
  tokensIn,
} from '../../support/node/oauth-client.ts'
import { RefreshChain, SingleUse } from '../ledger/credentials.ts'
import type { EffectBook } from '../ledger/effect-book.ts'
import type { ClientLedger } from '../ledger/ledger.ts'
import type { Random } from '../random.ts'
import type { Served } from '../served.ts'
import type { Caller } from './client.ts'

export interface Person {
  readonly subject: Subject
  readonly effects: EffectBook
}

/**
 * A refresh without a response for this long, in milliseconds, is not interrupted again: after 30 seconds
 * the server takes its repetition for the reuse of a stolen token, and ends the grant.
 */
const URGENT_AFTER_MS = 4000

/** Refused because of a limit, or a fault: to be repeated. */
const REPEATED = [429, 503]

export class TokenCaller implements Caller {
  readonly #server: Served
  readonly ledger: ClientLedger
  readonly #person: Person
  readonly #chain: RefreshChain
  #client: HeldClient | undefined
  #tokens: Tokens | undefined

  constructor(server: Served, ledger: ClientLedger, person: Person) {
    this.#server = server
    this.ledger = ledger
    this.#person = person
    this.#chain = new RefreshChain(ledger)
  }

  get subject(): Subject {
    return this.#person.subject
  }

  get effects(): EffectBook {
    return this.#person.effects
  }

  /** Sends a request with the access token, which is valid as long as its grant. */
  readonly fetch: typeof send = async (request) => {
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${this.#tokens?.access}`)
    const response = await send(new Request(request, { headers }))
    if (response.status === 401) {
      const text = 'The access token of a live grant was refused with 401'
      this.ledger.violation('forgotten-credential', text)
    }
    return response
  }

  /** Registers the client and obtains its tokens. */
  async open(): Promise<void> {
    this.#client = await this.#server.persist(this.ledger, 'registration', () =>
      register(this.#origin),
    )
    this.#tokens = await this.#signIn(undefined)
  }

  /** Presents the newest refresh token, sometimes twice at the same time, until a response arrives. */
  async refresh(random: Random): Promise<void> {
    const times = random.chance(0.2) ? 2 : 1
    const firstAt = Date.now()
    for (let isDone = false; !isDone; ) {
      const isUrgent = Date.now() - firstAt > URGENT_AFTER_MS
      const present = () => this.#present(times)
      isDone = isUrgent ? await this.#server.spare(present) : await present()
    }
  }

  /** Presents the newest refresh token. Returns whether there was a response. */
  async #present(times: number): Promise<boolean> {
    this.#chain.present(Date.now())
    const { refresh: newestToken } = this.#newest
    const send = () => refresh(this.#origin, this.#registered, newestToken)
    const sent = Array.from({ length: times }, () =>
      this.#server.attempt(this.ledger, 'refresh', send, 'refresh-sent'),
    )
    const answers = (await Promise.all(sent)).filter((answer) => answer !== undefined)
    if (this.#server.isOver) return true
    const [newest] = answers.flatMap((answer) => this.#issuedBy(answer))
    const isRefused = answers.some((answer) => answer.body.error === 'invalid_grant')
    if (newest === undefined && !isRefused) return false
    if (newest === undefined) this.#chain.refused(Date.now())
    else this.ledger.count('refreshes')
    this.#tokens = newest ?? (await this.#signIn(undefined))
    this.#chain.advance()
    return true
  }

  /** Obtains a grant that no client uses, redeems its code, and sometimes replays it. */
  async redeem(random: Random): Promise<void> {
    await this.#signIn(random)
  }

  /** @param random replays the code, or revokes the grant: it is for no other use */
  async #signIn(random: Random | undefined): Promise<Tokens | undefined> {
    const ledger = this.ledger
    while (!this.#server.isOver) {
      const issued = await this.#server.persist(ledger, 'authorization', () =>
        obtainCode(this.#origin, this.#registered, { as: this.subject }),
      )
      if (issued === undefined) return undefined
      const code = new SingleUse(ledger, 'An authorization code')
      const present = () => redeem(this.#origin, this.#registered, issued)
      const tokens = await this.#redeem(code, present)
      if (tokens === undefined) continue
      ledger.count('codes redeemed')
      if (random === undefined) return tokens
      if (random.chance(0.5)) await this.#redeem(code, present)
      else await this.#revoke(tokens)
      return tokens
    }
    return undefined
  }

  /** Presents a code until a response arrives. */
  async #redeem(code: SingleUse, present: () => Promise<RawResponse>): Promise<Tokens | undefined> {
    while (!this.#server.isOver) {
      const answer = await this.#server.attempt(
        this.ledger,
        'redemption',
        present,
        'redemption-sent',
      )
      if (answer === undefined) {
        code.lost()
      } else if (answer.status === 200) {
        code.succeeded()
        return tokensIn(answer)
      } else if (REPEATED.includes(answer.status)) {
        this.ledger.count(`refused: redemption with ${answer.status}`)
        await delay(500)
      } else {
        this.ledger.note(`redemption: ${answer.status} ${JSON.stringify(answer.body)}`)
        code.refused()
        return undefined
      }
    }
    return undefined
  }

  async #revoke({ refresh: token }: Tokens): Promise<void> {
    await this.#server.persist(this.ledger, 'revocation', () =>
      revoke(this.#origin, this.#registered, token),
    )
  }

  #issuedBy(answer: RawResponse): Tokens[] {
    this.ledger.note(`refresh: ${answer.status} ${JSON.stringify(answer.body.error ?? '')}`)
    if (answer.status !== 200) return []
    const tokens = tokensIn(answer)
    this.#chain.succeeded(tokens.refresh)
    return [tokens]
  }

  get #origin(): string {
    return new URL(this.#server.url).origin
  }

  get #registered(): HeldClient {
    if (this.#client === undefined) throw new TypeError('The client is not registered')
    return this.#client
  }

  get #newest(): Tokens {
    if (this.#tokens === undefined) throw new TypeError('The client has no tokens')
    return this.#tokens
  }
}
