/** The language rules that a machine can check: no retired phrase in a comment, a test title or a document, no retired identifier. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')
const SELF = 'test/language.test.ts'

function filesIn(extension: string, ...folders: string[]): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: folder !== '.', withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
        .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
    )
    .filter(
      (file) => !/node_modules|\/results\/|\/pages\/|\.vitepress\//.test(file) && file !== SELF,
    )
}

const sourceOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** Subjects that are not technical things, verbs that are not the field's, and metaphors outside the glossary. */
const RETIRED_PHRASES =
  /\b(?:whoever|whatever|nobody|somebody|anybody|everybody)\b|\b(?:gone|goes|go) by\b|\blet in\b|\b(?:is|are|was|were|be|been) told\b|\bgood for\b|\bthe door\b|\bnews\b|\bfacts\b|\btaken up\b|\bhears? of\b|\bwhat is no\b|\bin words\b/i

/** Identifiers that the glossary replaced. */
const RETIRED_IDENTIFIERS =
  /\b(?:AuthDoor|createDoor|isStillGood|SessionFacts|DpopFacts|TokenFacts|SessionLine|LineItem|LineEnd|NewsCarrier|NewsSource|SessionNews|Interests|followTail|TailRequest|parseTold|toldText|appoint|oneTime|SampleAnswer|SampleRequest|ElicitAnswer|judgeCode|judgeRefresh|standingOf|SharedWork|Forgotten|outsideText|forPeople|Vocabulary)\b|'not-let-in'/

/** The comments of a source file, one per line of the result. */
function commentsOf(source: string): string[] {
  const pattern = /\/\*[\s\S]*?\*\/|(?:^|\s)\/\/[^\n]*/g
  return [...source.matchAll(pattern)].map(([text]) => text.replace(/\s*\n\s*\*?\s*/g, ' ').trim())
}

/** The titles of tests and groups, also of tables: `describe('…')`, `it.each(…)('…')`, `])('…')`. */
function titlesOf(source: string): string[] {
  const quoted = /(?:\b(?:describe|it|test)(?:\.\w+)*|[\])])\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g
  return [...source.matchAll(quoted)].map(([, , title = '']) => title)
}

/** The text of a document without code. */
function proseOf(document: string): string[] {
  return document.replace(/```[\s\S]*?```|`[^`\n]*`/g, '').split('\n')
}

/** What breaks a rule, each with its file. */
function offences(
  files: readonly string[],
  textsOf: (source: string) => readonly string[],
): string[] {
  return files.flatMap((file) => textsOf(sourceOf(file)).map((text) => `${file}: ${text}`))
}

const code = [
  ...filesIn('.ts', 'src', 'durable-objects', 'starter', 'test'),
  ...filesIn('.ts', 'packages', 'scripts', 'examples'),
  ...filesIn('.tsx', 'packages'),
]
const documents = [
  ...filesIn('.md', '.', 'docs', 'packages', 'examples', 'starter'),
  ...filesIn('.toml', '.', 'packages', 'examples', 'test'),
]

describe('the language of the repository', () => {
  it('has no retired phrase in a comment or a title', () => {
    expect(
      offences(code, (source) =>
        [...commentsOf(source), ...titlesOf(source)].filter((text) => RETIRED_PHRASES.test(text)),
      ),
    ).toEqual([])
  })

  it('has no retired phrase in a document', () => {
    expect(
      offences(documents, (text) => proseOf(text).filter((line) => RETIRED_PHRASES.test(line))),
    ).toEqual([])
  })

  it('has no retired identifier', () => {
    expect(offences(code, (source) => RETIRED_IDENTIFIERS.exec(source)?.slice(0, 1) ?? [])).toEqual(
      [],
    )
  })

  it('is checked in comments, titles and prose', () => {
    expect(commentsOf('const a = 1 // b\n/** c\n * d */')).toEqual(['// b', '/** c d */'])
    expect(
      titlesOf("describe('a', () => {\n  it.each([1])('b', () => {})\n  test(`c`, f)"),
    ).toEqual(['a', 'b', 'c'])
    expect(proseOf('a `news` b\n```\nnews\n```\nc')).toEqual(['a  b', '', 'c'])
    expect(RETIRED_PHRASES.test('Whoever was shown the door is not let in again')).toBe(true)
    expect(RETIRED_PHRASES.test('A subject that has been denied must sign in again.')).toBe(false)
  })
})
