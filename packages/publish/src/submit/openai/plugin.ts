/**
 * The plugin that is uploaded to OpenAI. Its manifest is there in two forms: that of Agent Plugins, and the one of Codex
 * before it, which clients without the former read.
 *
 * @see https://developers.openai.com/plugins/build/plugins
 * @see https://agent-plugins.org/specification
 */
import { extname } from 'node:path'
import type { ImageFile } from '../image-files.ts'
import type { ReviewCase } from '../listing.ts'
import type { OutputFiles } from '../output-folder.ts'
import { jsonFile, pluginIdentity, pluginTexts, titleOf } from '../plugin-files.ts'
import type { Submission } from '../submission.ts'

const SCHEMAS = 'https://agent-plugins.org/schemas/1.0.0'

/** By path in the folder of the plugin. */
export function openaiPlugin(submission: Submission): OutputFiles {
  const { url } = submission
  const identity = pluginIdentity(submission)
  const assets = assetsOf(submission)
  const screen = interfaceOf(submission, assets)
  const servers = (type: string) => ({ mcpServers: { [identity.name]: { type, url } } })
  return new Map([
    ['plugin.json', jsonFile(openaiManifest(submission))],
    [
      'mcp.json',
      jsonFile({ $schema: `${SCHEMAS}/mcp.schema.json`, ...servers('streamable-http') }),
    ],
    [
      '.codex-plugin/plugin.json',
      jsonFile({ ...identity, mcpServers: './.mcp.json', interface: screen }),
    ],
    ['.mcp.json', jsonFile(servers('http'))],
    ...pluginTexts(submission, 'ChatGPT'),
    ...[...assets.values()].map(({ path, image }) => [path, image.bytes] as const),
  ])
}

/** The manifest in the form of Agent Plugins. */
export function openaiManifest(submission: Submission) {
  return {
    $schema: `${SCHEMAS}/plugin.schema.json`,
    ...pluginIdentity(submission),
    extensions: {
      'com.openai': {
        interface: interfaceOf(submission, assetsOf(submission)),
        review: reviewOf(submission),
        publication: {
          countries: submission.listing.openai?.countries ?? [],
          release_notes: submission.listing.releaseNotes,
        },
      },
    },
  }
}

interface Asset {
  /** In the folder of the plugin. */
  readonly path: string
  readonly image: ImageFile
}

/** By the member of `interface`. The names are not those of the author, which other systems may not allow. */
function assetsOf({ images }: Submission): ReadonlyMap<string, Asset> {
  const { logo, logoDark, icon, iconDark } = images.logos
  const named: readonly (readonly [member: string, file: string, ImageFile | undefined])[] = [
    ['logo', 'logo', logo],
    ['logoDark', 'logo-dark', logoDark],
    ['composerIcon', icon === undefined ? 'logo' : 'icon', icon ?? logo],
    ['composerIconDark', iconDark === undefined ? 'logo-dark' : 'icon-dark', iconDark ?? logoDark],
    ...images.openaiScreenshots.map(
      (image, at) => [`screenshot ${at}`, `screenshot-${at + 1}`, image] as const,
    ),
  ]
  return new Map(
    named.flatMap(([member, file, image]) =>
      image === undefined
        ? []
        : [[member, { path: `assets/${file}${extname(image.path).toLowerCase()}`, image }]],
    ),
  )
}

function interfaceOf(submission: Submission, assets: ReadonlyMap<string, Asset>) {
  const { listing, images } = submission
  const place = (member: string) => {
    const asset = assets.get(member)
    return asset === undefined ? undefined : `./${asset.path}`
  }
  const { shortDescription, description, company, openai, starterPrompts } = listing
  return {
    displayName: titleOf(submission),
    shortDescription,
    longDescription: description,
    developerName: company?.name,
    category: openai?.category,
    capabilities: openai?.capabilities,
    websiteURL: listing.website,
    supportURL: listing.support,
    privacyPolicyURL: listing.privacy,
    termsOfServiceURL: listing.terms,
    defaultPrompt: starterPrompts,
    brandColor: listing.brandColor,
    brandColorDark: listing.brandColorDark,
    composerIcon: place('composerIcon'),
    composerIconDark: place('composerIconDark'),
    logo: place('logo'),
    logoDark: place('logoDark'),
    screenshots:
      images.openaiScreenshots.length === 0
        ? undefined
        : images.openaiScreenshots.map((_, at) => place(`screenshot ${at}`)),
  }
}

/** What reviewers try. Their account is entered in the dashboard: a package with credentials is refused. */
function reviewOf({ listing: { cases, demoRecording, openai } }: Submission) {
  return {
    test_cases: {
      positive: (cases?.positive ?? []).map(caseOf),
      negative: (cases?.negative ?? []).map(caseOf),
    },
    demo_recording_url: demoRecording,
    commerce: openai?.commerce ?? false,
    commerce_description: openai?.commerceDescription,
  }
}

function caseOf({ description, prompt, tools = [], expected, files, expectedUrl }: ReviewCase) {
  return {
    description,
    prompt,
    tools_triggered: tools.length === 0 ? undefined : tools.join(', '),
    expected_behavior: expected,
    file_attachment_urls: files,
    expected_output_url: expectedUrl,
  }
}
