/** The tokens of the page. They are stored for the lifetime of the browser tab alone. */
import { Store } from '../store.ts'

/** What a token of a sign-in is renewed with. */
export interface Renewal {
  readonly refreshToken: string
  readonly clientId: string
  readonly tokenEndpoint: string
  readonly resource: string
}

/** Where the tokens of a sign-in come from. */
export type TokenSource = Omit<Renewal, 'refreshToken'>

export interface Tokens {
  readonly accessToken: string
  /** Undefined for a token that the person has entered, and where the server issues no refresh tokens. */
  readonly renewal?: Renewal | undefined
}

const KEY = 'edgeway-inspector-tokens'

export const tokens = new Store<Tokens | undefined>(stored())

export function rememberTokens(next: Tokens): void {
  sessionStorage.setItem(KEY, JSON.stringify(next))
  tokens.set(next)
}

export function forgetTokens(): void {
  sessionStorage.removeItem(KEY)
  tokens.set(undefined)
}

function stored(): Tokens | undefined {
  const text = sessionStorage.getItem(KEY)
  return text === null ? undefined : (JSON.parse(text) as Tokens)
}
