/** Checks a server against the rules of a directory. Pure: everything was read before. */
import { type DirectoryFinding, findingOf, type Rule } from './finding.ts'
import type { DirectoryInput } from './input.ts'
import type { DirectoryName } from './names.ts'
import { toolArguments } from './rules/arguments.ts'
import { behaviour, calls } from './rules/calls.ts'
import { card } from './rules/card.ts'
import { catalog } from './rules/catalog.ts'
import { authorization, url } from './rules/connection.ts'
import { content } from './rules/content.ts'
import { events } from './rules/events.ts'
import { hints } from './rules/hints.ts'
import { identity } from './rules/identity.ts'
import { listingCases, listingFields, screenshots } from './rules/listing.ts'
import { names, repeatedNames } from './rules/names.ts'
import { domain, proofs } from './rules/proofs.ts'
import { lists, schemas, sizes } from './rules/schemas.ts'
import { definition, serverJson } from './rules/server-json.ts'
import { texts } from './rules/texts.ts'
import { views } from './rules/views.ts'

/** In the order in which a report has them. Which directories have the rule of a code, the catalogue says. */
const RULES: readonly Rule[] = [
  url,
  authorization,
  lists,
  names,
  repeatedNames,
  hints,
  toolArguments,
  content,
  schemas,
  sizes,
  calls,
  behaviour,
  texts,
  views,
  events,
  identity,
  card,
  catalog,
  serverJson,
  definition,
  proofs,
  domain,
  listingFields,
  listingCases,
  screenshots,
]

/** What the directory would refuse the server for, and what it advises. It accepts a server without errors. */
export function checkDirectory(
  name: DirectoryName,
  input: DirectoryInput,
): readonly DirectoryFinding[] {
  return RULES.flatMap((rule) => rule(input, name)).flatMap((found) => findingOf(found, name) ?? [])
}

/** Whether a directory accepts a server with these findings. */
export function accepts(findings: readonly DirectoryFinding[]): boolean {
  return findings.every(({ severity }) => severity !== 'error')
}
