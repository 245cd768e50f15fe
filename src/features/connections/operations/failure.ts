/** The errors of `ctx.connect`. Each says what the model or the person does next. */
import type { ConnectionErrorReason } from '../../../server/connection.ts'
import { ToolError } from '../../../server/tool-error.ts'
import type { Service } from '../service.ts'

type NotConnected = 'declined' | 'late' | 'refused' | 'too-many'

type Why = NotConnected | ConnectionErrorReason

interface Labels {
  readonly kind: 'choose' | 'unknown' | 'ambiguous'
  readonly labels: readonly string[]
}

const TEXTS: Readonly<Record<Exclude<Why, 'unknown-account'>, (title: string) => string>> = {
  'not-connected': (title) =>
    `No ${title} account is connected that this app may use. Ask the person to use this tool again, and to connect one at the address that it gives.`,
  declined: (title) =>
    `The person has not connected ${title}. Do not repeat the call: ask them whether they want to.`,
  late: (title) =>
    `${title} was not connected in time. Call the tool again when the person is ready.`,
  refused: (title) =>
    `${title} has not granted what this tool needs. Ask the person to try again, and to allow everything that it asks for.`,
  'too-many': () =>
    'Too many pages are open at which the person is asked to connect an account. Ask them to finish or close those, and call the tool again in 30 minutes.',
  unavailable: (title) => `${title} does not answer now. Try again in a few minutes.`,
  'no-person': (title) =>
    `This tool uses an account at ${title}, which needs a person who is signed in, with an app that is named in the token. Tell the person to connect to this server with a sign-in.`,
}

const reasonOf = (why: Why): ConnectionErrorReason =>
  why === 'declined' || why === 'late' || why === 'refused' || why === 'too-many'
    ? 'not-connected'
    : why

export function failure(
  why: Exclude<Why, 'unknown-account'>,
  service: Service,
  labels?: undefined,
): ToolError
export function failure(why: 'unknown-account', service: Service, labels: Labels): ToolError
export function failure(why: Why, { title }: Service, found?: Labels): ToolError {
  const reason = reasonOf(why)
  if (why !== 'unknown-account' || found === undefined) {
    return new ToolError(TEXTS[why as keyof typeof TEXTS](title), { reason })
  }
  const list = found.labels.map((label) => JSON.stringify(label)).join(', ')
  const next = {
    choose: `The person has several ${title} accounts: ${list}. Ask which one is meant, and pass it as the argument account.`,
    unknown: `There is no such ${title} account. Those that this app may use: ${list}. Ask which one is meant.`,
    ambiguous: `Two ${title} accounts have this label: the person can rename one on the account page of this server.`,
  }[found.kind]
  return new ToolError(next, { reason })
}
