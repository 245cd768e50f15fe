/** What servers rightly have, and no directory refuses: a false alarm is a defect of the rules. */
import { describe, expect, it } from 'vitest'
import { checkDirectory } from '../../src/directories/check.ts'
import type { DirectoryInput } from '../../src/directories/input.ts'
import { DIRECTORY_NAMES } from '../../src/directories/names.ts'
import { changed, clean } from './clean.ts'

const codesOf = (input: DirectoryInput) =>
  DIRECTORY_NAMES.flatMap((name) => checkDirectory(name, input)).map(({ code }) => code)

const DESCRIPTIONS: readonly string[] = [
  'Deletes a note. This cannot be undone.',
  'Use list_notes to find the id first. Call again with the cursor for more.',
  'Always returns UTC. Never returns more than 100 entries.',
  'Finds notes, the best match first. You must provide either an id or a title.',
  'You need to create a project before you can add a note to it.',
  'Ignores case and accents. Does not override what is there.',
  'Returns the previous instructions of the pipeline.',
  'Applies a discount code to the cart. Lists the best sellers of the shop.',
  'Gets the cooking instructions of a recipe.',
  'The path has the form <owner>/<name>, such as https://github.com/<owner>/<name>.',
  'Values below 5 < x > 2 are kept. Generic types such as Map<string, number> are shown.',
  'The commit, such as 3f786850e387550fdab836ed7e6dc881de23001b, or a UUID like 0b5c1f7e-8d3a-4f6b-9f0a-2f1d6b7c8e9a.',
  'The digest: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855.',
  'See https://example.com/docs/guides/connecting-clients-to-a-server/with-authorization-and-tokens.',
  'Finds notes 👨‍👩‍👧 and 🏴󠁧󠁢󠁳󠁣󠁴󠁿 with ❤️, 1️⃣ and ✅.',
  'یادداشت‌ها را پیدا می‌کند',
  'मौसम की जानकारी क्‍या है',
  'מוצא פתקים ‏(notes)‏',
  'メモを検索します。',
  'Trouve des notes – « rapide », même l’hiver…',
  'Runs `SELECT` with **bold**, lists:\n- one\n- two\n\n| a | b |\n| - | - |',
  'Recommends films. Sends a mail to the user when it is done.',
  'Tells the user what has changed. Asks the person how many people will come.',
  'Use this when the person refers to something noted earlier, and not for calendar entries.',
  'Can act as a filter. Acts as the owner of the note.',
  'Use the right tool for the job, or use the search tool to find the id. Works before any other change is made.',
  'Opens https://example.com and returns its title. Replaces other notes of the same name.',
  'Returns the conversation history of a support ticket, and the messages that were sent.',
  'Never charges a card. Never use it for live payments.',
  'Runs without asking for confirmation in test mode. Must be called after start_session.',
  'Searches award-winning films, and the special offers of the day.',
  'The digest: cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e.',
  `An empty address: 0x${'0'.repeat(130)}.`,
  'Col\u00a0umns\u202f10 – spaces of typography.',
  'Opens https://example.com and follows its links. Reads https://example.com/feed to find episodes.',
  'Read the rules of the board at https://example.com/rules.',
  'Do not mention more than 10 people. Prefer short words over long ones.',
  'Fetches https://example.com and follow redirects up to five times.',
  'Upgrades a plan to premium for the account. Subscribes the address to a newsletter.',
]

describe('a description', () => {
  it.each(DESCRIPTIONS)('is accepted: %s', (text) => {
    expect(codesOf(changed('surface/tools/0/description', text))).toEqual([])
  })
})

const reading = { readOnlyHint: true, destructiveHint: false, openWorldHint: false }
const adding = { ...reading, readOnlyHint: false }
const destroying = { ...adding, destructiveHint: true }

const HINTS: readonly (readonly [name: string, annotations: object])[] = [
  ['deleted_notes', reading],
  ['preview_delete', reading],
  ['list_deleted', reading],
  ['todo_list', destroying],
  ['status_update', reading],
  ['get_or_create_user', adding],
  ['create_note', adding],
  ['update_note', destroying],
  ['update_note', adding],
  ['createNote', adding],
  ['roll_dice', reading],
  ['notes-search', reading],
  ['weather.get', reading],
  ['send_mail', { ...adding, openWorldHint: true }],
  ['reset_password', destroying],
  ['undo_delete', adding],
  ['search_and_replace', destroying],
  ['email_search', reading],
  ['forget_me', destroying],
]

describe('a tool', () => {
  it.each(HINTS)('%s may have the hints %j', (name, annotations) => {
    const tool = { name, annotations }
    expect(hintCodesOf(tool)).toEqual([])
  })

  it.each([
    ['search', { query: { type: 'string' } }],
    ['read_file', { path: { type: 'string' } }],
    ['fetch_page', { url: { type: 'string' } }],
    ['create_issue', { title: { type: 'string' }, body: { type: 'string' } }],
    ['grant_access', { permission: { enum: ['read', 'write'] } }],
    ['watch', { events: { items: { enum: ['create', 'list'] }, type: 'array' } }],
    ['pay', { method: { enum: ['card', 'cash'] } }],
    ['move', { action: { enum: ['up', 'down'] } }],
    ['edit', { action: { enum: ['create', 'delete'] } }],
    ['search_audit_log', { action: { enum: ['create', 'read', 'delete'] } }],
    ['next_page', { token: { type: 'string' }, cursor: { type: 'string' } }],
    ['set_policy', { require_password: { type: 'boolean' }, password_length: { type: 'integer' } }],
    ['rotate', { api_key_id: { type: 'string' }, secret_name: { type: 'string' } }],
    ['complete', { max_tokens: { type: 'integer' }, stop_token: { type: 'string' } }],
    ['list_changes', { page_token: { type: 'string' }, nextSyncToken: { type: 'string' } }],
    ['get_issue', { issue_key: { type: 'string' }, project_key: { type: 'string' } }],
    ['insert', { primary_key: { type: 'string' }, idempotency_key: { type: 'string' } }],
    ['get_price', { token_address: { type: 'string' }, base_token: { type: 'string' } }],
    ['create', { kind: { enum: ['password', 'token'] }, ssh_public_key: { type: 'string' } }],
    ['find_key', { key: { type: 'string', description: 'The id of the API key' } }],
    ['read_conversation', { conversation_id: { type: 'string' }, message: { type: 'string' } }],
    [
      'read',
      { conversation: { type: 'string', description: 'The full conversation of a ticket' } },
    ],
    ['say', { message: { type: 'string' }, context: { type: 'string' } }],
  ])('%s may take %j', (name, properties) => {
    const annotations = /^(?:search|read|fetch|get|list|find)/.test(name) ? reading : adding
    const tool = { name, inputSchema: { type: 'object', properties }, annotations }
    expect(hintCodesOf(tool)).toEqual([])
  })

  it.each([
    'Runs SQL in the warehouse of Acme.',
    'Runs SQL of SQLite.',
    'Runs SQL. Schema: https://example.com/schema',
    'GitHub GraphQL API: runs a query.',
    'Runs a query (Postgres).',
  ])('may take SQL where its description names the database: %s', (description) => {
    const inputSchema = { type: 'object', properties: { sql: { type: 'string' } } }
    expect(
      hintCodesOf({ name: 'run_query', description, inputSchema, annotations: adding }),
    ).toEqual([])
  })
})

/** The codes of one tool, but for the advice that its name may give. */
function hintCodesOf(tool: Readonly<Record<string, unknown>>): readonly string[] {
  const whole = {
    title: 'A tool',
    description: 'Does it.',
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object' },
    ...tool,
  }
  const input = { surface: { info: { name: 'a', version: '1' }, tools: [whole], ...EMPTY } }
  return codesOf(input as unknown as DirectoryInput)
}

const EMPTY = { prompts: [], resources: [], resourceTemplates: [], events: [] }

describe('a tool of payments or pictures', () => {
  it.each([
    ['send_payment_reminder', 'Sends a payment reminder to a customer.'],
    ['list_payments', 'Lists the payments of a customer.'],
    ['create_payment_link', 'Creates a link by which a customer pays an invoice.'],
    ['request_payment', 'Creates a page.'],
    ['preview_transfer_funds', 'Shows the fees.'],
    ['create_order', 'Does not move money. Saves an order of the shop.'],
    ['move_file', 'Moves a file to another folder.'],
    ['share_note', 'Shares a note with a person.'],
    ['get_stock', 'Reads how much is in stock.'],
    ['search_images', 'Finds images by their words.'],
    ['upload_image', 'Saves an image.'],
    ['resize_photo', 'Makes a smaller photo.'],
    ['generate_report', 'Generates a report with images.'],
    ['generate_image_report', 'Counts the images of a folder.'],
    ['generate_chart_image', 'Draws a chart of the data.'],
    ['generate_diagram', 'Draws a diagram from a prompt as an image.'],
    ['create_image', 'Builds the image of a container with Docker.'],
  ])('%s is accepted: %s', (name, description) => {
    const annotations = { ...destroying, openWorldHint: true }
    const codes = hintCodesOf({ name, description, annotations })
    expect(codes.filter((code) => !code.startsWith('tool-hint'))).toEqual([])
  })
})

describe('the error of a call', () => {
  it.each([
    'This tool intentionally returns an error for testing',
    'Internal error of the warehouse: give a date after 2020.',
    'Bad request: query is empty. Give a word.',
    'Failed, because no note has this id. List the notes first.',
  ])('may say what to change: %s', (errorText) => {
    expect(
      codesOf(changed('results', [{ tool: 'search_notes', characters: 9, errorText }])),
    ).toEqual([])
  })
})

describe('a value of a schema', () => {
  it.each(['SGVsbG8gd29ybGQsIGhvdyBhcmUgeW91Pw==', '<b>bold</b>', 'best app in the world'])(
    'may be data: %s',
    (value) => {
      const schema = { type: 'string', default: value, examples: [value] }
      const input = changed('surface/tools/0/inputSchema/properties/query', schema)
      expect(codesOf(input)).toEqual([])
    },
  )
})

describe('instructions of a server', () => {
  it.each([
    'Always call list_notes before read_note. You must pass the id.',
    'Prefer adding to a note over starting a new one. Never call delete_note without a question.',
  ])('may say how its tools belong together: %s', (text) => {
    const input = changed('surface/instructions', text)
    const own = ['list_notes', 'read_note', 'search_notes', 'delete_note']
    const tools = own.map((name) => ({
      name,
      title: name,
      description: 'A tool.',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
      annotations: name === 'delete_note' ? destroying : reading,
    }))
    const { surface } = input
    const all = { surface: { ...surface, tools, resources: [] } }
    expect(codesOf(all as unknown as DirectoryInput)).toEqual([])
  })
})

describe('a proof of a domain', () => {
  it.each([404, 410])('is not required: %i', (status) => {
    for (const proof of ['openaiAppsChallenge', 'mcpRegistryAuth']) {
      expect(codesOf(changed(`wellKnown/${proof}/status`, status))).toEqual([])
    }
  })

  it('is not looked at for a namespace of GitHub', () => {
    const named = {
      wellKnown: { mcpRegistryAuth: { status: 200, contentType: 'text/html', body: '<html>' } },
    }
    const surface = { info: { name: 'io.github.someone/notes', version: '1' }, tools: [], ...EMPTY }
    expect(codesOf({ ...named, surface } as unknown as DirectoryInput)).toEqual([])
  })
})

describe('a Server Card', () => {
  it('counts characters and not code units in its limits', () => {
    const description = '😀'.repeat(100)
    const card = { ...clean.card, description }
    const serverJson = { ...clean.serverJson, description }
    expect(codesOf({ card })).toEqual([])
    expect(codesOf({ serverJson })).toEqual([])
  })

  it('may have a URL that begins with a variable', () => {
    const remotes = [
      { type: 'streamable-http', url: '{base}/mcp', variables: { base: { isRequired: true } } },
    ]
    expect(codesOf({ card: { ...clean.card, remotes } })).toEqual([])
  })
})

describe('server.json', () => {
  it.each([
    { version: 'beta' },
    { version: '1.0.0-next.1+build.5' },
    { repository: { url: 'https://gitlab.com/a/b/c', source: 'gitlab', subfolder: 'servers/x' } },
    { icons: [{ src: 'https://example.com/icon.png', sizes: ['48x48'], theme: 'dark' }] },
  ])('may have %j', (change) => {
    expect(codesOf({ serverJson: { ...clean.serverJson, ...change } })).toEqual([])
  })
})

describe('a remote with a variable', () => {
  it.each(['https://{host}/mcp', 'https://{host}:{port}/mcp', 'https://a.example.com:{port}'])(
    'may have it as its host or its port: %s',
    (url) => {
      const remotes = [{ type: 'streamable-http', url, variables: { host: {}, port: {} } }]
      expect(codesOf({ serverJson: { ...clean.serverJson, remotes } })).toEqual([])
    },
  )

  it('is the URL of each value of it', () => {
    const url = 'https://{org}.example.com/mcp'
    const remotes = [{ type: 'streamable-http', url, variables: { org: {} } }]
    expect(codesOf(changed('serverJson/remotes', remotes))).toEqual([])
  })
})
