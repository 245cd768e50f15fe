/**
 * `chatgpt-app-submission.json`, which fills in the form of apps, and what only the dashboard asks.
 *
 * @see https://developers.openai.com/plugins/deploy/submission
 */
import type { Tool } from '../../../../../src/protocol/primitives.ts'
import { FORM_CATEGORIES } from '../../directories/rules/listing-fields.ts'
import { formText } from '../form-text.ts'
import type { ReviewCase } from '../listing.ts'
import { titleOf } from '../plugin-files.ts'
import type { Submission } from '../submission.ts'

export function openaiForm(submission: Submission) {
  const { surface, listing } = submission
  const { cases, shortDescription, description, openai } = listing
  return {
    $schema: 'https://developers.openai.com/plugins/schemas/chatgpt-app-submission.v1.json',
    schema_version: 1,
    app_info: {
      display_name: titleOf(submission),
      subtitle: shortDescription,
      description,
      category: formCategory(openai),
    },
    tools: Object.fromEntries(surface.tools.map((tool) => [tool.name, toolOf(tool, submission)])),
    test_cases: (cases?.positive ?? []).map(caseOf),
    negative_test_cases: (cases?.negative ?? []).map(caseOf),
  }
}

type OpenaiListing = Submission['listing']['openai']

const formCategory = (openai: OpenaiListing) =>
  openai?.formCategory ?? FORM_CATEGORIES[openai?.category ?? '']

function toolOf({ name, annotations }: Tool, { listing }: Submission) {
  const why = justificationOf(listing, name)
  return {
    annotations: {
      readOnlyHint: annotations?.readOnlyHint,
      openWorldHint: annotations?.openWorldHint,
      destructiveHint: annotations?.destructiveHint,
    },
    justifications: {
      read_only_justification: why?.readOnly,
      open_world_justification: why?.openWorld,
      destructive_justification: why?.destructive,
    },
  }
}

/** A tool may have the name of a member that every object has. */
const justificationOf = ({ justifications = {} }: Submission['listing'], name: string) =>
  Object.hasOwn(justifications, name) ? justifications[name] : undefined

function caseOf({ description, prompt, tools = [], expected, files, expectedUrl }: ReviewCase) {
  return {
    description,
    user_prompt: prompt,
    file_attachment_urls: files ?? null,
    tools_triggered: tools.length === 0 ? null : tools.join(', '),
    expected_output: expected,
    expected_output_url: expectedUrl ?? null,
  }
}

/** What is done and entered in the dashboard, in its order. */
export function openaiSteps(submission: Submission, zip: string): string {
  const { surface, hasSignIn, listing, url } = submission
  const { origin } = new URL(url)
  const tools = surface.tools.map(({ name, annotations }) => {
    const why = justificationOf(listing, name)
    const hints = [
      ['readOnlyHint', annotations?.readOnlyHint, why?.readOnly],
      ['openWorldHint', annotations?.openWorldHint, why?.openWorld],
      ['destructiveHint', annotations?.destructiveHint, why?.destructive],
    ] as const
    const lines = hints.map(([hint, value, text]) => `- \`${hint}: ${value}\`: ${text}`)
    return `### ${name}\n\n${lines.join('\n')}`
  })
  const frames = Object.entries(listing.openai?.frameDomains ?? {})
  return formText(`${titleOf(submission)}: submission to the plugins directory of OpenAI`, [
    {
      text: `An owner of the organization, or a member with Apps Management Write, submits it under a verified identity, in the [plugins dashboard](https://developers.openai.com/plugins/deploy/submission). After publication, the name and the URL of the server cannot change.`,
    },
    {
      title: 'Upload the plugin',
      text: `Upload \`${zip}\`. The form of apps, where it is still offered, is filled in by \`chatgpt-app-submission.json\`.`,
    },
    {
      title: 'Verify the domain',
      text: `Serve the token that the dashboard shows, alone and as plain text, at ${origin}/.well-known/openai-apps-challenge. Check it: \`curl -i ${origin}/.well-known/openai-apps-challenge\` answers 200 without a redirect. With Edgeway: the feature \`proofs({ openaiApps: '<token>' })\`.`,
    },
    { title: 'Scan the tools', text: `The server is at ${url}.` },
    { title: 'Justify the hints', text: tools.join('\n\n') },
    frames.length > 0 && {
      title: 'Explain the foreign domains of views',
      text: frames.map(([domain, why]) => `- ${domain}: ${why}`).join('\n'),
    },
    hasSignIn && {
      title: 'Give reviewers an account',
      field: listing.testAccount ?? '',
      text: 'Enter its name and password in the dashboard alone. It needs no second factor, no code by mail or message, and no private network.',
    },
    {
      title: 'Confirm the policies',
      text: 'Read and confirm the attestations of the dashboard, and submit.',
    },
  ])
}
