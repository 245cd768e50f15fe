/** `edgeway admin`: one command for each operation of the admin API of a deployed server. */

import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Result } from '../../../../src/platform/result.ts'
import { isLoopbackName } from '../../../../src/protocol/loopback-name.ts'
import {
  ADMIN_OPERATIONS,
  type AdminOperation,
} from '../../../inspector/src/admin/admin-operations.ts'
import { printable, printableJson } from '../../../text/src/terminal-text.ts'
import { type AdminFailure, callAdmin } from '../admin/admin-call.ts'
import { resultText } from '../admin/result-text.ts'
import { signIn } from '../admin/sign-in.ts'
import { timelineResultText } from '../admin/timeline-text.ts'
import { openPrompts } from '../prompts.ts'
import { withScheme } from './doctor-options.ts'
import { LOGIN_TIMEOUT_MS, parseToken, showPage } from './sign-in-options.ts'

const EXIT_REFUSED = 1
const EXIT_UNUSABLE = 2

interface Flags {
  readonly url: URL
  readonly token?: string
  readonly login: boolean
  readonly json: boolean
  readonly yes: boolean
  readonly discard?: boolean
}

const HELP = `
The server needs admin({ … }) in the features of createEdgeway. Its URL, and a token for it, can be in
EDGEWAY_ADMIN_URL and EDGEWAY_ADMIN_TOKEN.

Exit codes: 0 done, 1 the server has refused, 2 the command line is wrong or the server was not reached`

/** The operations that cannot be taken back. */
const CONFIRMED: readonly AdminOperation[] = [
  'revoke-everyone',
  'revoke-client',
  'revoke-person',
  'delete-person',
]

export function addAdminCommand(program: Command): void {
  const admin = program
    .command('admin')
    .description('operates a deployed server: revokes, ends, deletes, rotates keys')
    .addHelpText('after', HELP)
  for (const [name, operation] of Object.entries(ADMIN_OPERATIONS)) {
    // An id may begin with "-". A mistyped option is an argument too many.
    const command = admin.command(name).description(operation.summary).allowUnknownOption()
    const names: string[] = [...operation.params]
    for (const param of names) command.argument(`<${param}>`)
    if ('optional' in operation) {
      command.argument(`[${operation.optional}]`)
      names.push(operation.optional)
    }
    command.addOption(
      new Option('--url <url>', 'the URL of the admin API, or of its server')
        .env('EDGEWAY_ADMIN_URL')
        .argParser(parseUrl)
        .makeOptionMandatory(),
    )
    command.addOption(
      new Option('--token <token>', 'an access token or a personal access token for it')
        .env('EDGEWAY_ADMIN_TOKEN')
        .argParser(parseToken),
    )
    command.option('--login', 'sign in with a browser', false)
    command.option('--json', 'print the result as JSON', false)
    command.option('--yes', 'do not ask before what cannot be taken back', false)
    if ('flags' in operation) {
      for (const flag of operation.flags) command.option(`--${flag}`, 'replace all keys at once')
    }
    command.addHelpText('after', HELP).action(async (...given: unknown[]) => {
      const flags = given[names.length] as Flags
      const texts = given.slice(0, names.length) as (string | undefined)[]
      const params = Object.fromEntries(
        texts.flatMap((text, at) => (text === undefined ? [] : [[names[at] ?? '', text]])),
      )
      process.exitCode = await run(name as AdminOperation, params, flags)
    })
  }
}

async function run(
  operation: AdminOperation,
  texts: Readonly<Record<string, string>>,
  flags: Flags,
): Promise<number> {
  const isFinal = CONFIRMED.includes(operation) || flags.discard === true
  if (isFinal && !flags.yes && !(await confirm(operation, Object.values(texts)))) {
    process.stderr.write('Nothing was done. --yes confirms the operation.\n')
    return EXIT_UNUSABLE
  }
  const params = { ...texts, ...(flags.discard === true && { discard: true }) }
  const call = { url: flags.url, operation, params }
  try {
    const answer = await callSignedIn(call, flags)
    return answer.ok ? print(operation, answer.value, flags) : fail(answer.error, flags)
  } catch (error) {
    process.stderr.write(`It failed: ${printable((error as Error).message, 400)}\n`)
    return EXIT_UNUSABLE
  }
}

function print(operation: AdminOperation, result: unknown, { json }: Flags): number {
  process.stdout.write(json ? `${printableJson(result)}\n` : textOf(operation, result))
  return 0
}

function fail({ kind, message }: AdminFailure, { url }: Flags): number {
  const isReached = kind !== 'not-reached'
  const what = isReached ? '' : `${url.href} was not reached: `
  process.stderr.write(`${what}${printable(message, 400)}\n`)
  return isReached ? EXIT_REFUSED : EXIT_UNUSABLE
}

function textOf(operation: AdminOperation, result: unknown): string {
  const timeline = operation === 'timeline' ? timelineResultText(result) : undefined
  return timeline ?? resultText(result)
}

type Call = Omit<Parameters<typeof callAdmin>[0], 'token'>

/** With `--login`, a refusal is answered by one sign-in, which asks for the scopes of the challenge. */
async function callSignedIn(
  call: Call,
  { token, login }: Flags,
): Promise<Result<unknown, AdminFailure>> {
  const answer = await callAdmin({ ...call, token })
  if (!login || answer.ok || answer.error.kind !== 'not-authorized') return answer
  const { challenge } = answer.error
  const options = { url: call.url, challenge, timeoutMs: LOGIN_TIMEOUT_MS, onPage: showPage }
  const signedIn = await signIn(options)
  if (!signedIn.ok) return signedIn
  try {
    return await callAdmin({ ...call, token: signedIn.value.token })
  } finally {
    // The sign-in is of use for this call alone, so its grant is revoked.
    await signedIn.value.end()
  }
}

async function confirm(operation: string, subjects: readonly string[]): Promise<boolean> {
  if (process.stdin.isTTY !== true) return false
  const { stdin: input, stderr: output } = process
  const what = [operation, ...subjects].map((text) => printable(text, 200)).join(' ')
  const message = `${what}: this cannot be taken back. Continue?`
  return (await openPrompts().confirm({ input, output, message, initialValue: false })) === true
}

const DEFAULT_PATH = '/admin'

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isSecure =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackName(url.hostname))
  if (url === undefined || !isSecure) {
    throw new InvalidArgumentError(`It is not an https URL.${withScheme(text)}`)
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    // Without the URL, which the library would print.
    throw new Error('error: the URL contains a user, a query or a fragment. Remove it')
  }
  if (url.pathname === '/') url.pathname = DEFAULT_PATH
  return url
}
