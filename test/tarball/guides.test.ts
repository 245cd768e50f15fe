/**
 * Type-checks the TypeScript of README.md, docs/ and the front page of the site against the installed package. A block is a module. What it
 * assumes, such as the server of the application, is declared in a comment directly above it:
 * `<!-- assumes`, TypeScript, `-->`. What begins with the line `// name.ts`, block or comment, is a file that others import.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { typeErrorsOf } from './check-types.ts'
import { ROOT } from './consumer.ts'
import { installedConsumer } from './installed-consumer.ts'

const { directory } = await installedConsumer()

const pages = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path}`),
  'packages/site/index.md',
]

interface Block {
  /** The path of its file, without the folder of the project. */
  readonly path: string
  /** Each line is at its line of the page, so that errors name the place in the page. */
  readonly text: string
}

const BLOCK =
  /(?:^<!-- assumes\n(?<assumed>(?:(?!-->)[\s\S])*)-->\n)?^```ts\n(?<code>[\s\S]*?)^```$/gm

function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8')
  const linesBefore = (index: number) => text.slice(0, index).split('\n').length - 1
  const nameOf = (code: string) => /^\/\/ ([\w.-]+\.ts)\n/.exec(code)?.[1]
  const file = (name: string, line: number, code: string): Block => ({
    path: join(dirname(page), basename(page, '.md'), name),
    // A block without imports and exports is a module, too.
    text: `${'\n'.repeat(line)}\n${code}\nexport {}\n`,
  })
  return [...text.matchAll(BLOCK)].flatMap((match) => {
    const { assumed = '', code = '' } = match.groups ?? {}
    const line = linesBefore(match.index)
    const block = nameOf(code) ?? `line-${line + 1}.ts`
    const imported = nameOf(assumed)
    if (imported !== undefined) {
      const below = line + assumed.split('\n').length + 1
      return [file(imported, line, assumed), file(block, below, code)]
    }
    return [file(block, line, assumed === '' ? code : `${assumed}\n\n${code}`)]
  })
}

describe('the TypeScript of README.md, docs/ and the front page of the site', () => {
  it('type-checks against the package', () => {
    const project = join(directory, 'pages')
    const blocks = pages.flatMap(blocksOf)
    expect(blocks.length).toBeGreaterThan(30)
    for (const { path, text } of blocks) {
      const file = join(project, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      // The data that a page imports, such as an OpenAPI description.
      for (const [, json = ''] of text.matchAll(/ from '\.\/([\w-]+\.json)'/g)) {
        writeFileSync(join(dirname(file), json), '{}')
      }
      // A text, such as the script of a view.
      for (const [, name = ''] of text.matchAll(/ from '\.\/([\w-]+\.txt)'/g)) {
        const module = 'declare const text: string\nexport default text\n'
        writeFileSync(join(dirname(file), `${name}.d.ts`), module)
      }
    }
    expect(typeErrorsOf(project, ['README', 'docs', 'site'])).toBe('')
  }, 300_000)
})
