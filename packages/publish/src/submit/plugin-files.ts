/** What the plugins of both directories have in common: the identity, the server, the README and the license. */
import type { Tool } from '../../../../src/protocol/primitives.ts'
import type { Listing } from './listing.ts'
import type { OutputFiles } from './output-folder.ts'
import type { Submission } from './submission.ts'

/** In both manifests of OpenAI, and in that of Claude. */
export interface PluginIdentity {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly author: { readonly name: string; readonly url?: string | undefined }
  readonly homepage?: string | undefined
  readonly repository?: string | undefined
  readonly license?: string | undefined
  readonly keywords?: readonly string[] | undefined
}

export function pluginIdentity({ surface, listing, license }: Submission): PluginIdentity {
  const { info } = surface
  const { company, documentation, website, repository, keywords } = listing
  return {
    name: pluginName(listing, info.name),
    version: info.version,
    // The same text as in every other document of the server.
    description: info.description ?? listing.claude?.oneLiner ?? listing.shortDescription ?? '',
    author: { name: company?.name ?? '', url: company?.url },
    homepage: documentation ?? website ?? info.websiteUrl,
    repository,
    license,
    keywords,
  }
}

/** The name of the package: that of the listing, or the one of the server in its letters. */
export function pluginName({ name }: Listing, serverName: string): string {
  return (
    name ??
    serverName
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 64)
      .replace(/^-|-$/g, '')
  )
}

export const titleOf = ({ surface, listing }: Submission): string =>
  listing.title ?? surface.info.title ?? surface.info.name

export const jsonFile = (value: unknown): Uint8Array =>
  textFile(`${JSON.stringify(value, undefined, 2)}\n`)

export const textFile = (text: string): Uint8Array => new TextEncoder().encode(text)

/** `README.md`, and `LICENSE` where the project has one. */
export function pluginTexts(submission: Submission, host: string): OutputFiles {
  const { licenseText } = submission
  const files = new Map([['README.md', textFile(readme(submission, host))]])
  if (licenseText !== undefined) files.set('LICENSE', textFile(licenseText))
  return files
}

function readme(submission: Submission, host: string): string {
  const { surface, hasSignIn, listing, url } = submission
  const { claude, description, starterPrompts, documentation, support, privacy, terms } = listing
  const links = {
    Documentation: documentation,
    Support: support,
    'Privacy policy': privacy,
    'Terms of service': terms,
  }
  const title = titleOf(submission)
  return [
    `# ${oneLine(title)}`,
    `${(claude?.description ?? description ?? surface.info.description ?? '').trim()}`,
    `This plugin connects ${host} to the MCP server of ${oneLine(title)} at ${url}. It contains no code: the tools run on that server, and ${!hasSignIn ? 'no sign-in is needed' : `${host} asks you to sign in there before the first call`}.`,
    ...(claude?.prerequisites === undefined ? [] : ['## Before you begin', claude.prerequisites]),
    '## Tools',
    surface.tools.map(toolLine).join('\n'),
    ...(starterPrompts === undefined || starterPrompts.length === 0
      ? []
      : ['## To try', starterPrompts.map((prompt) => `- ${oneLine(prompt)}`).join('\n')]),
    '## More',
    Object.entries(links)
      .flatMap(([name, link]) => (link === undefined ? [] : `- [${name}](${link})`))
      .join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n')
}

function toolLine({ name, title, description }: Tool): string {
  const text = firstSentence(description ?? title ?? name)
  return `- \`${name}\`: ${text}`
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

const firstSentence = (text: string) =>
  /^.*?[.!?](?=\s|$)/.exec(oneLine(text))?.[0] ?? oneLine(text)
