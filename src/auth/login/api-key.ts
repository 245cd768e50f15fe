/**
 * Sign-in with an API key of the service behind this server. The key is part of the props of a grant,
 * where handlers read it. It is in no error: what the author's function throws may quote it.
 */
import { withDeadline } from '../../platform/deadline.ts'
import { isJsonObject } from '../../protocol/json.ts'
import { type PersonAttributes, readAttributes } from '../people/attributes.ts'
import { askLogin } from '../server/grants/ask-login.ts'
import { checkSubject } from '../subject.ts'
import { type ApiKeyLogin, LOGIN_PARTS, type Person } from './login.ts'
import { LoginError } from './login-error.ts'

/** What a valid API key stands for. */
export interface ApiKeyOwner extends PersonAttributes {
  /** Stable and unique to the owner, the same for each of its keys. 1 to 255 characters. */
  readonly subject: string
  /** The name on pages. Default: the subject. */
  readonly name?: string
  /** Added to the props of the grant, beside `apiKey`. JSON. */
  readonly props?: { readonly [key: string]: unknown }
}

export interface ApiKeyOptions<Env = unknown> {
  /** The name of the key on pages, such as "Example API key". Default: "API key". */
  readonly label?: string
  /** For `connections()`: where the key may be sent, such as `https://api.example.com`. */
  readonly origins?: readonly string[]
  /** For `connections()`: the header with the key, such as `x-api-key`. Default: `Authorization`, as a bearer token. */
  readonly header?: string
  /**
   * Returns the owner of a key, or undefined for a key that is not valid. Called for each sign-in and
   * before each refresh of a grant, and bounded to 10 seconds.
   *
   * @param key 1 to 4,096 characters, without white space at its ends and without control characters
   * @throws {LoginError} for a key that is valid but may not sign in. Its message is shown to the
   *   person. Any other error, and the reason `unavailable`, mean that the key cannot be checked now.
   */
  readonly verify: (
    key: string,
    env: Env,
  ) => ApiKeyOwner | undefined | Promise<ApiKeyOwner | undefined>
}

const MAX_KEY_LENGTH = 4096
const VERIFY_TIMEOUT_MS = 10_000
const CONTROL_CHARACTER = /\p{Cc}/u

/**
 * Signs people in with an API key, which they enter on the consent page. Props are those of the owner
 * and `apiKey`.
 *
 * @throws {TypeError} when `verify` is no function or the label is empty
 */
export function apiKey<Env = unknown>({
  label = 'API key',
  origins,
  header,
  verify,
}: ApiKeyOptions<Env>): ApiKeyLogin {
  if (typeof verify !== 'function') throw new TypeError('apiKey() needs the function verify')
  if (label === '') throw new TypeError('The label of apiKey() must not be empty')
  const find = async (key: string, env: unknown): Promise<Person | undefined> => {
    if (key === '' || key.length > MAX_KEY_LENGTH || CONTROL_CHARACTER.test(key)) return undefined
    // The author declares the type of the environment.
    const owner = await withDeadline(VERIFY_TIMEOUT_MS, called(verify, key, env as Env), () => {
      throw new Error(`The function verify of apiKey() took longer than ${VERIFY_TIMEOUT_MS} ms`)
    })
    // A lookup that finds nothing often returns null.
    return owner === undefined || owner === null ? undefined : personOf(owner, key)
  }
  return {
    kind: 'api-key',
    [LOGIN_PARTS]: { ask: askLogin },
    label,
    origins,
    header,
    verify: find,
    async refresh(props, env, subject) {
      const { apiKey } = props
      // A hook has replaced the props.
      if (typeof apiKey !== 'string') return undefined
      const person = await find(apiKey, env)
      if (person?.subject !== subject) throw new LoginError(`The ${label} is not valid any more.`)
      return { ...props, ...person.props }
    },
  }
}

function personOf(owner: ApiKeyOwner, apiKey: string): Person {
  const { subject, name, props = {} } = owner
  if (!isJsonObject(props)) throw new TypeError('The props of an API key must be a JSON object')
  return {
    ...readAttributes(owner),
    subject: checkSubject(subject),
    name,
    props: { ...props, apiKey },
  }
}

async function called<Env>(verify: ApiKeyOptions<Env>['verify'], key: string, env: Env) {
  try {
    return await verify(key, env)
  } catch (error) {
    throw withoutKey(error, key)
  }
}

/**
 * The message of an error may contain the key in any encoding, so only the name and the position of the
 * error are kept. A `LoginError` is written for the person.
 */
function withoutKey(error: unknown, key: string): Error {
  if (error instanceof LoginError) {
    const { message, reason } = error
    return new LoginError(message.replaceAll(key, '…'), { reason })
  }
  const safe = new Error(`The function verify of apiKey() threw an error (${nameOf(error, key)})`)
  const frames = error instanceof Error ? (error.stack ?? '').split('\n') : []
  const positions = frames.filter((line) => /^ {4}at /.test(line) && !line.includes(key))
  safe.stack = [`${safe.name}: ${safe.message}`, ...positions].join('\n')
  return safe
}

const ERROR_NAME = /^[A-Z][A-Za-z]{0,63}$/

/** The literal that the class of an error has as its name: names of classes are shortened in a minified upload. */
function nameOf(error: unknown, key: string): string {
  if (!(error instanceof Error)) return typeof error
  return ERROR_NAME.test(error.name) && !error.name.includes(key) ? error.name : 'Error'
}
