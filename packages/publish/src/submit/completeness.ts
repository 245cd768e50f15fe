/** What the author declares to reviewers: accounts, data, acknowledgements. Each directory asks for it in its form. */
import { quoted } from '../../../text/src/quoted.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import { ACKNOWLEDGEMENTS } from './listing.ts'
import { pluginName } from './plugin-files.ts'
import type { Problem } from './problem.ts'
import type { Submission } from './submission.ts'

/** Whether a text has more than white space. */
const isGiven = (text: string | undefined) => text !== undefined && text.trim() !== ''

const missing = (member: string, fix: string): Problem => ({
  code: 'declaration-missing',
  message: `directory.json has no "${member}"`,
  fix,
})

export function claudeDeclarations(submission: Submission): readonly Problem[] {
  const { company, claude } = submission.listing
  const problems = [...accountProblems(submission)]
  if (!isGiven(company?.name) || !isGiven(company?.contact.name)) {
    problems.push(missing('company', 'Write its name, and a contact with name and email.'))
  }
  if (claude?.dataHandling === undefined) {
    problems.push(
      missing('claude.dataHandling', 'Write source, health and sponsored, and what is stored.'),
    )
  }
  if (!(claude?.useCases ?? []).some(isGiven)) {
    problems.push(missing('claude.useCases', 'Write what people do with the server, as a list.'))
  }
  return [
    ...problems,
    ...unconfirmed('claude.acknowledgements', ACKNOWLEDGEMENTS, claude?.acknowledgements),
    ...unconfirmed('claude.tested', ['inspector', 'customConnector'], claude?.tested),
  ]
}

function unconfirmed<Name extends string>(
  member: string,
  names: readonly Name[],
  given: Readonly<Partial<Record<Name, boolean>>> | undefined,
): readonly Problem[] {
  const open = names.filter((name) => given?.[name] !== true)
  if (open.length === 0) return []
  return [
    {
      code: 'declaration-open',
      message: `${member} of directory.json does not confirm ${open.join(', ')}`,
      fix: 'Check each, and set it to true where it holds. The directory refuses a server where one does not.',
    },
  ]
}

export function openaiDeclarations(submission: Submission): readonly Problem[] {
  const { openai } = submission.listing
  const problems = [...accountProblems(submission)]
  if (openai?.commerce === true && !isGiven(openai.commerceDescription)) {
    problems.push(missing('openai.commerceDescription', 'Write what people buy, and how they pay.'))
  }
  const wrong = (openai?.countries ?? []).filter((country) => !/^[A-Z]{2}$/.test(country))
  if (wrong.length > 0) {
    problems.push({
      code: 'country-unknown',
      message: `openai.countries of directory.json has ${quoted(wrong[0])}`,
      fix: 'Write codes of two capital letters, such as "DE", or an empty list for every country.',
    })
  }
  if (submission.url.includes('{')) {
    problems.push({
      code: 'url-template',
      message: `The path of the server has a part that differs by customer: ${printable(submission.url, 1000)}`,
      fix: 'Write in "url" of directory.json the address of one that is for everyone. OpenAI lists a template by agreement alone.',
    })
  }
  return problems
}

/** Both plugins have the name, which never changes. */
export function nameProblems({ surface, listing }: Submission): readonly Problem[] {
  const name = pluginName(listing, surface.info.name)
  if (/^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) return []
  return [
    {
      code: 'plugin-name',
      message: `The name of the plugin is ${quoted(name)}`,
      fix: 'Write "name" in directory.json: up to 64 lower-case letters, digits and single hyphens.',
    },
  ]
}

/** Reviewers sign in to a server with authorization, and need to know what they find there. */
function accountProblems({ hasSignIn, listing }: Submission): readonly Problem[] {
  if (!hasSignIn || isGiven(listing.testAccount)) return []
  return [
    missing(
      'testAccount',
      'Write how reviewers sign in, and what the account contains. Enter the password in the form alone.',
    ),
  ]
}
