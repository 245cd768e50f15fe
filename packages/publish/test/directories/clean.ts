/** A server that every directory accepts without a finding: all that the rules look at is there. */
import type { DirectoryInput } from '../../src/directories/input.ts'

const HINTS = { readOnlyHint: true, destructiveHint: false, openWorldHint: false }

const NOTE = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }

const reviewCase = (prompt: string, ...tools: readonly string[]) => ({
  description: 'Shows what the notebook finds.',
  prompt,
  ...(tools.length === 0 ? {} : { tools }),
  expected: 'The note of that day.',
})

const why = {
  readOnly: 'It reads notes and writes nothing.',
  openWorld: 'It reaches the notes of the person alone.',
  destructive: 'It deletes nothing.',
}

const listing = {
  name: 'example-notes',
  title: 'Example Notes',
  shortDescription: 'Search your notes',
  description: 'Finds and deletes the notes that you have written with Example.',
  website: 'https://example.com/notes',
  documentation: 'https://example.com/docs',
  support: 'https://example.com/support',
  privacy: 'https://example.com/privacy',
  terms: 'https://example.com/terms',
  company: { name: 'Example Ltd' },
  logo: 'logo.png',
  brandColor: '#1D4FD7',
  brandColorDark: '#8FB2FF',
  starterPrompts: ['What did I note about Lisbon?', 'Delete my note of yesterday'],
  cases: {
    positive: [1, 2, 3, 4, 5].map((day) =>
      reviewCase(`What did I note on day ${day}?`, 'search_notes'),
    ),
    negative: [1, 2, 3].map((day) => reviewCase(`What is the weather on day ${day}?`)),
  },
  justifications: {
    search_notes: why,
    delete_note: { ...why, readOnly: 'It deletes.', destructive: 'It deletes a note for good.' },
  },
  demoRecording: 'https://example.com/demo',
  releaseNotes: 'The first version.',
  claude: {
    oneLiner: 'Search and delete your notes.',
    description: 'Finds and deletes the notes that you have written with Example.',
    categories: ['Productivity'],
    screenshots: ['1.png', '2.png', '3.png'],
  },
  openai: {
    category: 'Productivity',
    capabilities: ['Searches notes'],
    screenshots: ['1.png', '2.png'],
  },
}

const URL = 'https://mcp.example.com/mcp'

const remotes = [
  { type: 'streamable-http', url: URL, supportedProtocolVersions: ['2026-07-28', '2025-11-25'] },
]

const described = {
  name: 'com.example/notes',
  version: '1.4.0',
  title: 'Example Notes',
  description: 'Search and delete your notes.',
}

export const clean = {
  url: URL,
  surface: {
    info: { ...described, name: 'notes' },
    instructions: 'The notes of the person. Call search_notes before delete_note.',
    tools: [
      {
        name: 'search_notes',
        title: 'Search notes',
        description:
          'Finds notes by their words. Use it to find the id of a note, and delete_note to remove one.',
        inputSchema: {
          type: 'object',
          properties: { query: { type: 'string', description: 'Words, such as "lisbon hotel"' } },
          required: ['query'],
          additionalProperties: false,
        },
        outputSchema: { type: 'object', properties: { notes: { type: 'array', items: NOTE } } },
        annotations: HINTS,
        _meta: { ui: { resourceUri: 'ui://notes/search' } },
      },
      {
        name: 'delete_note',
        title: 'Delete a note',
        description: 'Deletes a note by its id.',
        inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
        outputSchema: { type: 'object', properties: { isDeleted: { type: 'boolean' } } },
        annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
      },
    ],
    prompts: [
      {
        name: 'review',
        description: 'Reviews a note.',
        arguments: [{ name: 'id', description: 'Of the note' }],
      },
    ],
    resources: [
      {
        uri: 'ui://notes/search',
        name: 'search',
        mimeType: 'text/html;profile=mcp-app',
        _meta: {
          ui: { csp: { connectDomains: ['https://api.example.com'], resourceDomains: [] } },
        },
      },
    ],
    resourceTemplates: [{ uriTemplate: 'note://{id}', name: 'note', description: 'A note' }],
    events: [
      {
        name: 'note.changed',
        description: 'A note has changed.',
        delivery: ['webhook'],
        inputSchema: { type: 'object', properties: {}, additionalProperties: false },
        payloadSchema: { type: 'object', properties: { id: { type: 'string' } } },
      },
    ],
  },
  card: {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    ...described,
    remotes,
  },
  catalog: {
    specVersion: '1.0',
    entries: [
      {
        identifier: 'urn:air:example.com:mcp:notes',
        type: 'application/mcp-server-card+json',
        url: 'https://mcp.example.com/mcp/server-card',
      },
    ],
  },
  serverJson: {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    ...described,
    remotes: [{ type: 'streamable-http', url: URL }],
  },
  plugin: { name: 'notes', version: '1.4.0' },
  wellKnown: {
    openaiAppsChallenge: { status: 200, contentType: 'text/plain', body: 'k7Qx2mN0pV4tYw8R\n' },
    mcpRegistryAuth: {
      status: 200,
      contentType: 'text/plain',
      body: 'v=MCPv1; k=ed25519; p=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
    },
  },
  authorization: {
    kind: 'oauth',
    documents: { resource: true, server: true },
    failures: [],
    facts: {
      pasted: URL,
      challenge: {
        challenge: 'Bearer',
        metadataUrl: 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp',
      },
      resource: { resource: URL, server: 'https://auth.example.com' },
      server: {
        issuer: 'https://auth.example.com',
        authorizationEndpoint: 'https://auth.example.com/authorize',
        tokenEndpoint: 'https://auth.example.com/token',
        registrationEndpoint: 'https://auth.example.com/register',
        pkce: true,
        codeFlow: true,
        publicClients: true,
        documents: true,
        issInResponse: true,
      },
    },
  },
  listing,
  views: [],
  results: [{ tool: 'search_notes', characters: 1000 }],
  malformed: [],
} as const satisfies DirectoryInput

/** The same input with the value at a path replaced. `undefined` removes the member. */
export function changed(path: string, value: unknown): DirectoryInput {
  const copy: DirectoryInput = structuredClone(clean)
  const names = path.split('/')
  const last = names.pop() ?? ''
  let place: unknown = copy
  for (const name of names) place = (place as Record<string, unknown>)[name]
  if (!Object.hasOwn(place as object, last) && value === undefined) throw new Error(`No ${path}`)
  const target = place as Record<string, unknown>
  if (value === undefined) delete target[last]
  else target[last] = value
  return copy
}
