/** Violations of the rules of arguments, of what tools do, and of how their calls end. */
import type { DirectoryName } from '../../src/directories/names.ts'
import { args, at, destroying, row, text, tool, type Violation } from './violation.ts'

const ARGUMENTS_OF_TOOL = 'surface/tools/0/inputSchema/properties'

const takes = (name: string, schema: object = text(), refusedBy?: readonly DirectoryName[]) =>
  at('tool-argument-credential', ARGUMENTS_OF_TOOL, { query: text(), [name]: schema }, refusedBy)

const wants = (schema: object, refusedBy?: readonly DirectoryName[]) =>
  at('tool-argument-conversation', ARGUMENTS_OF_TOOL, { query: text(), ...schema }, refusedBy)

/** Each family of names, and how schemas nest it. */
export const ARGUMENTS: readonly Violation[] = [
  ...[
    'api_key',
    'openai_api_key',
    'stripeSecretKey',
    'X-API-Key',
    'github_token',
    'slackBotToken',
    'access_token',
    'refreshToken',
    'password',
    'db_password',
    'passphrase',
    'client_secret',
    'webhookSecret',
    'credentials',
    'otp',
    'mfa_code',
    'ssh_private_key',
    'Authorization',
    'session_cookie',
    'connection_string',
  ].map((name) => takes(name)),
  takes('auth', { type: 'object', properties: { api_key: text() } }),
  takes('headers', { type: 'object', properties: { Authorization: text() } }),
  takes('accounts', { type: 'array', items: args({ login: text(), password: text() }) }),
  takes('source', { anyOf: [args({ url: text() }), args({ token: text(), githubToken: text() })] }),
  takes('pin', { type: 'string', format: 'password' }),
  takes('key', { type: 'string', description: 'Your OpenAI API key' }),
  takes('token', { type: 'string', description: 'A personal access token of GitHub' }),
  takes('token', text(), []),
  takes('jwt', text(), []),
  wants({ conversation_history: text() }),
  wants({ chatHistory: { type: 'array', items: text() } }),
  wants({ full_conversation: text() }),
  wants({ chat_transcript: text() }),
  wants({ previous_messages: { type: 'array', items: text('object') } }),
  wants({ user_memories: text() }),
  wants({ context: { type: 'string', description: 'The conversation so far' } }),
  wants({ notes: { type: 'string', description: 'Everything the user has said in this chat.' } }),
  wants({ meta: args({ log: { type: 'string', description: 'The whole chat with the user.' } }) }),
  wants({ why: { type: 'string', description: 'A summary of the conversation' } }, []),
]

const does = (
  code: 'tool-moves-money' | 'tool-generates-media',
  name: string,
  description: string,
  properties: object = {},
  refusedBy?: readonly DirectoryName[],
) =>
  row(
    code,
    `${name}: ${description}`,
    tool({
      name,
      description,
      inputSchema: args(properties),
      annotations: { ...destroying, openWorldHint: true },
    }),
    refusedBy,
  )

export const CONTENT: readonly Violation[] = [
  ...[
    'transfer_funds',
    'send_money_to_contact',
    'wire-money',
    'withdrawCash',
    'send_payment',
    'initiate_payout',
    'pay_invoice',
    'buy_stock',
    'swap_tokens',
    'stake_eth',
    'place_limit_order',
    'execute_trade',
    'send_transaction',
    'charge_card',
  ].map((name) => does('tool-moves-money', name, 'Does it.')),
  does('tool-moves-money', 'run', 'Transfers money to a person.', { amount: text('number') }),
  does('tool-moves-money', 'run', 'Buys shares of a company.', { quantity: text('integer') }),
  does('tool-moves-money', 'run', 'Never asks. Sends a payment to a supplier.', {}, []),
  ...[
    'generate_image',
    'generateVideo',
    'draw_picture',
    'text_to_speech',
    'image_generation',
    'synthesize-voice',
  ].map((name) => does('tool-generates-media', name, 'Does it.')),
  does('tool-generates-media', 'create_image', 'Does it.', { prompt: text() }),
  does('tool-generates-media', 'run', 'Creates a song from a text prompt.', { prompt: text() }),
  does('tool-generates-media', 'run', 'Produces photos with Stable Diffusion.', {}, []),
]

const calling = (facts: object) =>
  at('tool-call-failed', 'results', [{ tool: 'search_notes', characters: 10, ...facts }])

export const CALLS: readonly Violation[] = [
  calling({ failure: 'A call of "search_notes" is answered with error -32603' }),
  ...[
    '',
    'Internal Server Error',
    'Error: Internal error.',
    'HTTP 500: Bad Request',
    'Something went wrong!',
    'undefined',
    'Request failed with status code 500',
    "TypeError: Cannot read properties of undefined (reading 'id')",
    'Error: no\n    at run (file:///srv/tools.js:10:5)',
  ].map((errorText) => calling({ errorText })),
]
