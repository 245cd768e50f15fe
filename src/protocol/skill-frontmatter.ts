/**
 * The frontmatter of `SKILL.md`: its rules, and its form as YAML.
 *
 * @see https://agentskills.io/specification#frontmatter
 */
import { isJsonObject } from './json.ts'

/** A field of the frontmatter, and what is wrong with it. */
export interface FrontmatterProblem {
  readonly field: string
  readonly message: string
}

const NAME = /^(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/
const MAX_DESCRIPTION_LENGTH = 1024
const MAX_COMPATIBILITY_LENGTH = 500
/** Reserved for extensions of MCP. */
const RESERVED = 'io.modelcontextprotocol/'

export function isSkillName(name: unknown): name is string {
  return typeof name === 'string' && NAME.test(name)
}

/** Returns the first problem; undefined where there is none. */
export function frontmatterProblem(
  {
    name,
    description,
    license,
    compatibility,
    metadata,
    ...rest
  }: Readonly<Record<string, unknown>>,
  folder: string,
): FrontmatterProblem | undefined {
  const problem = (field: string, message: string) => ({ field, message })
  if (!isSkillName(name)) {
    return problem(
      'name',
      'must be 1 to 64 lower-case letters, digits and single hyphens, with a letter or digit at both ends',
    )
  }
  if (name !== folder) return problem('name', `must be that of the folder, "${folder}"`)
  if (!isText(description, MAX_DESCRIPTION_LENGTH)) {
    return problem('description', `must be a text of 1 to ${MAX_DESCRIPTION_LENGTH} characters`)
  }
  if (license !== undefined && typeof license !== 'string')
    return problem('license', 'must be a text')
  if (compatibility !== undefined && !isText(compatibility, MAX_COMPATIBILITY_LENGTH)) {
    return problem('compatibility', `must be a text of 1 to ${MAX_COMPATIBILITY_LENGTH} characters`)
  }
  const tools = rest['allowed-tools']
  if (tools !== undefined && typeof tools !== 'string') {
    return problem('allowed-tools', 'must be a text, with spaces between the tools')
  }
  if (metadata === undefined) return undefined
  if (
    !isJsonObject(metadata) ||
    !Object.values(metadata).every((value) => typeof value === 'string')
  ) {
    return problem('metadata', 'must map keys to texts: quote numbers and dates')
  }
  const reserved = Object.keys(metadata).find((key) => key.startsWith(RESERVED))
  return reserved === undefined
    ? undefined
    : problem(
        'metadata',
        `must not have the key "${reserved}": ${RESERVED} is reserved for extensions of MCP`,
      )
}

function isText(value: unknown, limit: number): boolean {
  return typeof value === 'string' && value.trim() !== '' && value.length <= limit
}

/** YAML reads these as plain keys: not as a boolean or null either, by its version 1.1. */
const PLAIN_KEY = /^(?!(?:null|true|false|yes|no|on|off|y|n)$)[a-z_][a-z0-9_-]*$/i
/** Characters that JSON leaves as they are, and YAML forbids or reads as line breaks. */
const NOT_IN_YAML = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/** Writes frontmatter between its lines of `---`. Values are JSON, which YAML 1.2 contains. */
export function frontmatterText(frontmatter: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(frontmatter).map(([key, value]) => {
    const text = JSON.stringify(value).replace(
      NOT_IN_YAML,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    return `${PLAIN_KEY.test(key) ? key : JSON.stringify(key)}: ${text}\n`
  })
  return `---\n${lines.join('')}---\n`
}
