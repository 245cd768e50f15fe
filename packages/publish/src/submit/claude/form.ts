/**
 * The texts of the form of the connectors directory of Claude, in its order.
 *
 * @see https://claude.com/docs/connectors/building/submission
 */
import type { Tool } from '../../../../../src/protocol/primitives.ts'
import { type FormField, formText } from '../form-text.ts'
import { pluginName, titleOf } from '../plugin-files.ts'
import type { Submission } from '../submission.ts'

export function claudeForm(submission: Submission): string {
  const title = titleOf(submission)
  return formText(`${title}: submission to the connectors directory of Claude`, [
    {
      text: 'Open https://claude.ai/directory/manage, with an account of a Pro, Max, Team or Enterprise plan, and choose "Submit new", "MCP connector". The plugin in the folder `plugin` is a second submission with the same URL.',
    },
    ...serverFields(submission),
    ...useFields(submission),
    ...companyFields(submission),
    ...reviewFields(submission),
  ])
}

function serverFields(submission: Submission): readonly FormField[] {
  const { surface, listing, url, images } = submission
  const { claude, documentation = '', privacy = '', support = '' } = listing
  const slug = claude?.slug ?? pluginName(listing, surface.info.name)
  const isTemplate = url.includes('{')
  return [
    {
      title: 'Server URL',
      text: isTemplate ? 'Per customer: the address has a part of each customer.' : 'Universal.',
      field: url,
    },
    { title: 'Server name', field: claude?.name ?? titleOf(submission), limit: 100 },
    { title: 'One-liner', field: claude?.oneLiner ?? '', limit: 200 },
    { title: 'Description', field: claude?.description ?? listing.description ?? '', limit: 2000 },
    {
      title: 'Categories',
      text: 'One to five.',
      field: (claude?.categories ?? []).join('\n'),
    },
    { title: 'Documentation URL', field: documentation },
    { title: 'Privacy policy URL', field: privacy },
    { title: 'Support contact', field: support },
    { title: 'Icon', text: `Upload \`${images.logos.icon?.path ?? images.logos.logo?.path}\`.` },
    { title: 'Slug', text: 'It cannot be changed later.', field: slug },
  ]
}

function useFields({ surface, listing }: Submission): readonly FormField[] {
  const { claude } = listing
  return [
    { title: 'Use cases', field: bullets(claude?.useCases ?? []) },
    { title: 'Prerequisites', field: claude?.prerequisites ?? 'None' },
    { title: 'Reads and writes', field: readsAndWrites(surface.tools) },
  ]
}

function readsAndWrites(tools: readonly Tool[]): string {
  const named = (title: string, isOfKind: (tool: Tool) => boolean) => {
    const names = tools.filter(isOfKind).map(({ name }) => name)
    return names.length === 0 ? [] : [`${title}: ${names.join(', ')}`]
  }
  const isReading = ({ annotations }: Tool) => annotations?.readOnlyHint === true
  const isDestructive = ({ annotations }: Tool) => annotations?.destructiveHint === true
  return [
    ...named('Reads', isReading),
    ...named('Writes', (tool) => !isReading(tool) && !isDestructive(tool)),
    ...named('Modifies or deletes', isDestructive),
  ].join('\n')
}

function companyFields({ listing }: Submission): readonly FormField[] {
  const { company, website } = listing
  const contact = company?.contact
  const role = contact?.role === undefined ? '' : `, ${contact.role}`
  return [
    {
      title: 'Company',
      field: [company?.name, company?.url ?? website].filter(Boolean).join('\n'),
    },
    { title: 'Contact', field: `${contact?.name}${role}\n${contact?.email}` },
  ]
}

const SOURCES = {
  own: 'The tools call our own API.',
  proxied: 'The tools call the API of another company, which we may proxy.',
  'third-party': 'The tools call APIs of third parties.',
} as const

const ACKNOWLEDGEMENTS = {
  guidelines: 'The server follows the directory guidelines.',
  firstPartyApi: 'The APIs are our own, or we may proxy them.',
  financialTransactions: 'It moves no money, crypto-currency or other assets.',
  aiMedia: 'It generates no images, video or audio by AI.',
  promptInjection: 'Descriptions and results contain no instructions for the model.',
  conversationData: 'It collects no conversations, memories, history or files.',
  publicDocumentation: 'Its documentation is public by the day of publication.',
} as const

function reviewFields({ hasSignIn, listing, images }: Submission): readonly (FormField | false)[] {
  const { claude, testAccount } = listing
  const { dataHandling: data, allowedLinkUris: linkUris = [] } = claude ?? {}
  const account = hasSignIn
    ? { text: 'Enter the name and password in the form alone.', field: testAccount ?? '' }
    : { text: 'No account is needed.', field: testAccount }
  return [
    {
      title: 'Data handling',
      field: [
        data === undefined ? '' : SOURCES[data.source],
        `Health data: ${yesOrNo(data?.health)}. Sponsored content: ${yesOrNo(data?.sponsored)}.`,
        data?.notes ?? '',
      ]
        .filter((text) => text !== '')
        .join('\n'),
    },
    {
      title: 'Acknowledgements',
      text: Object.entries(ACKNOWLEDGEMENTS)
        .map(([name, text]) => checkbox(text, claude?.acknowledgements?.[name as 'aiMedia']))
        .join('\n'),
    },
    { title: 'Test account', ...account },
    {
      title: 'Confirmation of your tests',
      text: [
        checkbox('Every tool was run in the MCP Inspector.', claude?.tested?.inspector),
        checkbox('It was used as a custom connector of Claude.', claude?.tested?.customConnector),
      ].join('\n'),
    },
    images.claudeScreenshots.length > 0 && {
      title: 'Screenshots',
      text: `Upload:\n\n${bullets(images.claudeScreenshots.map(({ path }) => `\`${path}\``))}`,
    },
    linkUris.length > 0 && { title: 'Allowed link URIs', field: linkUris.join('\n') },
  ]
}

const bullets = (texts: readonly string[]) => texts.map((text) => `- ${text}`).join('\n')

const checkbox = (text: string, isSet: boolean | undefined) => `- [${isSet ? 'x' : ' '}] ${text}`

const yesOrNo = (value: boolean | undefined) => (value === true ? 'yes' : 'no')
