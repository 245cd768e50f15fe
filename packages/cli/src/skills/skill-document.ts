/** Reads the frontmatter of a `SKILL.md`, and says where it is wrong. */
import { isMap, isScalar, LineCounter, type ParsedNode, parseDocument, visit } from 'yaml'
import { frontmatterProblem } from '../../../../src/protocol/skill-frontmatter.ts'

/** A line and what is wrong there. Lines begin with 1. */
export interface Problem {
  readonly line: number
  readonly message: string
}

export type Frontmatter = Readonly<Record<string, unknown>>

export type ReadFrontmatter =
  | { readonly frontmatter: Frontmatter }
  | { readonly problems: readonly Problem[] }

/** Repetitions by `*name`, which multiply when they contain each other. */
const MAX_ALIASES = 100

/** Maximum nesting of a value. */
const MAX_DEPTH = 100

/** The name that sets the prototype in an object that is written out. */
export const PROTO = '__proto__'

const FRONTMATTER = /^---\r?\n([\s\S]*?)^---[ \t]*\r?$/m

/** @param folder the name of the folder, which is that of the skill */
export function readFrontmatter(text: string, folder: string): ReadFrontmatter {
  const fail = (line: number, message: string) => ({ problems: [{ line, message }] })
  if (text.startsWith('\ufeff'))
    return fail(1, 'begins with a byte order mark: save it without one')
  if (!/^---\r?\n/.test(text)) return fail(1, 'must begin with a line of ---, and frontmatter')
  const [whole, yaml = ''] = FRONTMATTER.exec(text) ?? []
  if (whole === undefined)
    return fail(1, 'the frontmatter does not end: close it with a line of ---')
  const lines = new LineCounter()
  const document = parseDocument(yaml, { lineCounter: lines, version: '1.2' })
  // The frontmatter begins in the second line of the file.
  const lineOf = (offset: number) => lines.linePos(offset).line + 1
  const faults = [...document.errors, ...document.warnings]
  if (faults.length > 0) {
    return {
      problems: faults.map(({ pos, message }) => {
        return { line: lineOf(pos[0]), message: (message.split(' at line ')[0] as string).trim() }
      }),
    }
  }
  const { contents } = document
  if (!isMap(contents)) return fail(2, 'the frontmatter must map fields to values')
  let frontmatter: Frontmatter
  try {
    frontmatter = document.toJS({ maxAliasCount: MAX_ALIASES })
  } catch (error) {
    return fail(2, `the frontmatter cannot be read: ${(error as Error).message}`)
  }
  const lineOfField = (field: string) => {
    const pair = contents.items.find(({ key }) => isScalar(key) && key.value === field)
    return isScalar(pair?.key) ? lineOf(pair.key.range?.[0] ?? 0) : 2
  }
  const unsafe = memberNamedProto(contents)
  if (unsafe !== undefined) return fail(lineOf(unsafe), '__proto__ cannot name a field: rename it')
  const notJson = Object.keys(frontmatter).find((field) => !isJson(frontmatter[field]))
  if (notJson !== undefined) {
    return fail(lineOfField(notJson), `${notJson} has no form in JSON: quote it`)
  }
  const problem = frontmatterProblem(frontmatter, folder)
  return problem === undefined
    ? { frontmatter }
    : fail(lineOfField(problem.field), `${problem.field} ${problem.message}`)
}

/** The offset of a field `__proto__`, at any depth. In a module, it is the prototype of the object. */
function memberNamedProto(contents: ParsedNode): number | undefined {
  let offset: number | undefined
  visit(contents, {
    Pair(_, { key }) {
      if (!isScalar(key) || key.value !== PROTO) return undefined
      offset = key.range?.[0] ?? 0
      return visit.BREAK
    },
  })
  return offset
}

/** Whether clients that read it as JSON and as YAML see the same. By an alias, a value may contain itself. */
function isJson(value: unknown, depth = 0): boolean {
  if (depth > MAX_DEPTH) return false
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value === 'string') return value.isWellFormed()
  const isPart = (part: unknown) => isJson(part, depth + 1)
  if (Array.isArray(value)) return value.every(isPart)
  if (typeof value === 'object' && value !== null) {
    return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isPart)
  }
  return value === null || typeof value === 'boolean'
}
