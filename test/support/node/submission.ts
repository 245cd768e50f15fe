/** A submission that every directory accepts, and how a test changes it. */
import type { ImageFile } from '../../../packages/publish/src/submit/image-files.ts'
import type { Listing } from '../../../packages/publish/src/submit/listing.ts'
import { prepare } from '../../../packages/publish/src/submit/prepare.ts'
import type { Submission } from '../../../packages/publish/src/submit/submission.ts'

const image = (member: string, path: string): ImageFile => ({
  ...{ member, path, bytes: new Uint8Array([137, 80, 78, 71]), type: 'png', width: 64, height: 64 },
})

const tool = (name: string, isReading: boolean) => ({
  name,
  title: name,
  description: `${isReading ? 'Finds' : 'Deletes'} parcels by their number. More text.`,
  inputSchema: { type: 'object', properties: { number: { type: 'string' } } },
  outputSchema: { type: 'object', properties: { found: { type: 'boolean' } } },
  annotations: { readOnlyHint: isReading, destructiveHint: !isReading, openWorldHint: false },
})

const reviewCase = (at: number, tools: readonly string[]) => ({
  description: `Case ${at}`,
  prompt: `Where is parcel ${at}?`,
  ...(tools.length === 0 ? {} : { tools: [...tools] }),
  expected: `The place of parcel ${at}.`,
})

const why = {
  readOnly: 'It reads.',
  openWorld: 'It is private.',
  destructive: 'It deletes nothing.',
}

export const LISTING: Listing = {
  url: 'https://mcp.parcels.dev/mcp',
  name: 'parcels',
  title: 'Parcels',
  shortDescription: 'Where parcels are',
  description: 'Find parcels by their number, and see where they are and when they arrive.',
  website: 'https://parcels.dev',
  documentation: 'https://parcels.dev/docs',
  support: 'https://parcels.dev/support',
  privacy: 'https://parcels.dev/privacy',
  terms: 'https://parcels.dev/terms',
  company: {
    name: 'Parcels Ltd',
    url: 'https://parcels.dev',
    contact: { name: 'Ann', email: 'ann@parcels.dev' },
  },
  logo: 'logo.png',
  starterPrompts: ['Where is parcel 7?'],
  cases: {
    positive: [1, 2, 3, 4, 5].map((at) => reviewCase(at, ['find_parcel'])),
    negative: [6, 7, 8].map((at) => reviewCase(at, [])),
  },
  justifications: { find_parcel: why, delete_parcel: { ...why, destructive: 'It deletes it.' } },
  testAccount: 'Reviewers sign in with the account in the form. It has three parcels.',
  demoRecording: 'https://parcels.dev/recording',
  releaseNotes: 'The first version.',
  claude: {
    oneLiner: 'Find parcels by their number.',
    categories: ['Productivity'],
    useCases: ['See where a parcel is'],
    dataHandling: { source: 'own', health: false, sponsored: false },
    acknowledgements: {
      guidelines: true,
      firstPartyApi: true,
      financialTransactions: true,
      aiMedia: true,
      promptInjection: true,
      conversationData: true,
      publicDocumentation: true,
    },
    tested: { inspector: true, customConnector: true },
  },
  openai: { category: 'Productivity', capabilities: ['Find parcels'], countries: ['DE'] },
}

export const SUBMISSION: Submission = {
  surface: {
    info: {
      name: 'parcels',
      version: '1.2.3',
      title: 'Parcels',
      description: 'Finds parcels by their number',
    },
    tools: [tool('find_parcel', true), tool('delete_parcel', false)],
    prompts: [],
    resources: [],
    resourceTemplates: [],
    events: [],
  },
  hasSignIn: true,
  input: {},
  listing: LISTING,
  folder: '/project',
  url: 'https://mcp.parcels.dev/mcp',
  images: {
    logos: { logo: image('logo', 'logo.png') },
    claudeScreenshots: [],
    openaiScreenshots: [],
  },
  license: 'MIT',
  licenseText: 'MIT License\n',
}

/** The submission with other members of its listing. */
export const withListing = (changes: Partial<Listing>): Submission => ({
  ...SUBMISSION,
  listing: { ...LISTING, ...changes },
})

export type FormTarget = 'claude' | 'openai'

/** The codes of why a submission is refused. */
export function codesOf(target: FormTarget, submission: Submission): readonly string[] {
  const { findings, problems } = prepare(target, submission)
  const errors = findings.filter(({ severity }) => severity === 'error')
  return [...errors, ...problems].map(({ code }) => code)
}
