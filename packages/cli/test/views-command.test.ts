/** `edgeway views`: one document for each view, the types of the tools that it calls, and what prevents either. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { ofCheckout } from '../../../test/support/node/entries.ts'
import { serveViewBuilder } from '../src/dev/view-builder.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const COMMAND = join(ROOT, 'packages/cli/src/edgeway.ts')
const FOLDER = mkdtempSync(join(tmpdir(), 'edgeway-views-'))

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

let project = FOLDER
beforeEach(() => {
  project = mkdtempSync(join(FOLDER, 'project-'))
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'))
  write('package.json', '{ "type": "module" }')
})

function write(path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true })
  writeFileSync(join(project, path), text)
}

const run = promisify(execFile)

interface Ended {
  readonly code: number
  readonly output: string
}

async function views(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  try {
    const { stdout, stderr } = await run(process.execPath, [COMMAND, 'views', ...args], {
      cwd: project,
      env: { ...process.env, ...env },
    })
    return { code: 0, output: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as Ended & { stdout: string; stderr: string }
    return { code, output: stdout + stderr }
  }
}

const build = (env?: NodeJS.ProcessEnv) => views(['build'], env)

const generated = () => readFileSync(join(project, 'src/views.generated.ts'), 'utf8')

/** The document of a view, as a Worker imports it. */
function documentOf(name: string): string {
  const [, text] =
    new RegExp(`uri: 'ui://views/${name}',\\n {2}html: (".*"),\\n`).exec(generated()) ?? []
  return JSON.parse(text ?? 'null')
}

const PREACT = `import { render } from 'preact'
import { label } from './parts/label.ts'
import './note.css'
render(<h1 class="big">{label}{'</script><!--'}</h1>, document.querySelector('#root')!)
`

describe('edgeway views build', () => {
  beforeEach(() => {
    write(
      'tsconfig.json',
      '{ "compilerOptions": { "jsx": "react-jsx", "jsxImportSource": "preact" } }',
    )
    write('src/views/note-list.tsx', PREACT)
    write('src/views/parts/label.ts', 'export const label: string = "Notes\\u2028"')
    write(
      'src/views/note.css',
      '.big { color: light-dark(#000, #fff); background: url(./dot.svg) }',
    )
    write('src/views/dot.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>')
    write(
      'src/views/plain.html',
      '<!doctype html><html lang="en"><head><title>Plain</title><link rel="stylesheet" href="./note.css"></head><body><script type="module">import { label } from "./parts/label.ts"; document.title = label</script></body></html>',
    )
  })

  it('makes each view one document with its scripts, styles and images', async () => {
    expect(await build()).toMatchObject({ code: 0 })
    for (const name of ['note-list', 'plain']) {
      const html = documentOf(name)
      expect(html).toMatch(/^<!doctype html>/i)
      expect(html).toContain('<style')
      expect(html).toContain('data:image/svg+xml')
      expect(html).toContain('color:light-dark(#000,#fff)')
      expect(html).not.toMatch(/(?:src|href)="\./)
      // The text of the script has none of its own.
      expect(html.match(/<\/script>/g)).toHaveLength(1)
    }
    expect(generated()).toContain('export const noteList = view({')
  })

  it('writes the same text for the same source, and leaves the file as it is', async () => {
    await build()
    const first = generated()
    expect((await build()).output).toContain('is up to date')
    rmSync(join(project, 'src/views.generated.ts'))
    await build()
    expect(generated()).toBe(first)
  })

  it('lets edgeway dev build, which builds again on a change and says what differs', async () => {
    const url = await serveViewBuilder()
    const { output } = await build({ EDGEWAY_VIEWS: url })
    expect(output).toMatch(
      /^note-list: .*\nplain: .*\n.*views\.generated\.ts has been written\.\n$/,
    )
    const { body } = await fetch(url)
    const events = body?.pipeThrough(new TextDecoderStream()).getReader()
    const received = async (parts: RegExp) => {
      let text = ''
      while (!parts.test(text)) text += (await events?.read())?.value
      return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
    }
    const change = (name: string) => ({ uri: `ui://views/${name}`, html: documentOf(name) })
    expect(await received(/note-list[\s\S]*plain[\s\S]*\n\n$/)).toEqual([
      change('note-list'),
      change('plain'),
    ])
    write('src/views/parts/label.ts', 'export const label: string = 1 +')
    expect(await build({ EDGEWAY_VIEWS: url })).toMatchObject({
      code: 2,
      output: expect.stringContaining('label.ts'),
    })
    write('src/views/plain.html', '<!doctype html><title>Plain</title>')
    write('src/views/parts/label.ts', 'export const label: string = "Last"')
    const last = (await received(/Last[\s\S]*\n\n$/)).find(({ html }) => html.includes('Last'))
    // The program that wrangler runs finds it built.
    expect((await build({ EDGEWAY_VIEWS: url })).output).toContain('is up to date')
    expect(last).toEqual(change('note-list'))
    expect((await fetch(new URL('/', url))).status).toBe(404)
    expect((await fetch(url, { method: 'POST', body: '<' })).status).toBe(500)
    await events?.cancel()
  })

  it('builds where nothing listens', async () => {
    expect(await build({ EDGEWAY_VIEWS: 'http://127.0.0.1:1/' })).toMatchObject({ code: 0 })
  })
})

describe('a view that cannot be built', () => {
  const script = (text: string) => ({ 'note.ts': text })
  it.each<[string, Record<string, string>, RegExp]>([
    ['is missing', {}, /has no view, such as note\.tsx or note\.html/],
    [
      'imports a module of Node',
      script("import { readFileSync } from 'node:fs'; readFileSync('a')"),
      /note\.ts imports node:fs: a view runs in a browser\. Do this in a tool/,
    ],
    [
      'imports a module of Workers',
      script("import { env } from 'cloudflare:workers'; env.a"),
      /imports cloudflare:workers: a view runs in a browser/,
    ],
    [
      'imports a package that is not installed',
      script("import a from 'not-installed'; a()"),
      /note\.ts: .*'not-installed'.* Install it, or mend the path/,
    ],
    ['is malformed', script('const a = {'), /src\/views\/note\.ts: /],
    [
      'has the name of another',
      { 'note.ts': 'console.log(1)', 'note.html': '<!doctype html><title>a</title>' },
      /note\.html and src\/views\/note\.ts are two views of one name/,
    ],
    [
      'has a name that is no name',
      { 'My Note.ts': 'console.log(1)' },
      /the name of a view is like note or note-list/,
    ],
    [
      'is too large for every host',
      script(`console.log(${JSON.stringify('x'.repeat(5_000_000))})`),
      /note\.ts becomes a document of 50\d+ bytes; hosts accept 4194304/,
    ],
    [
      'needs a file beside it',
      {
        'note.ts': "new Worker(new URL('./parts/work.js', import.meta.url))",
        'parts/work.js': 'postMessage(1)',
      },
      /needs other files: .*A view is one document/,
    ],
  ])('because it %s is named', async (_, files, says) => {
    mkdirSync(join(project, 'src/views'), { recursive: true })
    for (const [path, text] of Object.entries(files)) write(`src/views/${path}`, text)
    const { code, output } = await build()
    expect(output).toMatch(says)
    expect(code).toBe(2)
  })

  it('replaces no file of another origin', async () => {
    write('src/views/note.ts', 'console.log(1)')
    write('src/views.generated.ts', 'export const mine = 1')
    expect((await build()).output).toContain('was not written by edgeway views')
    expect(generated()).toBe('export const mine = 1')
  })
})

const SERVER = ofCheckout(`
import { createEdgeway, createServer, jsonSchema } from 'edgeway'
import { apps, view } from 'edgeway/apps'

const note = view({ uri: 'ui://views/note', html: '<!doctype html>' })
const title = jsonSchema({ type: 'object', properties: { title: { type: 'string' } }, required: ['title'] })

export default createEdgeway(({ auth }) => {
  const server = createServer({ name: 'notes', version: '1.0.0' })
  server.registerTool('show_note', { inputSchema: title, outputSchema: title, ui: note }, (args) => args)
  server.registerTool('show_plain', { inputSchema: title, ui: view({ uri: note.uri }) }, ({ title }) => title)
  server.registerTool('erase', { ui: view({ uri: 'ui://views/gone', html: '<!doctype html>', visibility: ['model'] }) }, () => 'Erased')
  if (auth?.scopes.includes('write')) server.registerTool('write-note', { inputSchema: title }, () => 'Written')
  return server
}, { info: { name: 'notes', version: '1.0.0' }, features: [apps()] })
`)

describe('edgeway views types', () => {
  beforeEach(() => {
    write('worker.ts', SERVER)
    write(
      'wrangler.toml',
      'name = "notes"\nmain = "worker.ts"\ncompatibility_date = "2026-11-01"\n',
    )
  })

  const types = (...args: string[]) => views(['types', ...args])
  const written = () => readFileSync(join(project, 'src/views.types.ts'), 'utf8')

  it('writes the tools that a view may call, for the caller who is named', async () => {
    write('caller.json', '{ "subject": "ada", "scopes": ["write"] }')
    write('src/views/.keep', '')
    expect(await types('--caller', 'caller.json')).toMatchObject({
      code: 0,
      output: expect.stringContaining('Tool "show_plain" has a view and no outputSchema'),
    })
    expect([...written().matchAll(/^ {2}(\S+): \{$/gm)].map(([, name]) => name)).toEqual([
      'show_note',
      'show_plain',
      '"write-note"',
    ])
    write('call.ts', CALLS)
    write('tsconfig.json', JSON.stringify({ compilerOptions: STRICT, files: ['call.ts'] }))
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    await expect(run(process.execPath, [tsc, '-p', project])).resolves.toMatchObject({ stdout: '' })
    write('caller.json', '{ "subject": "bob" }')
    await types('--caller', 'caller.json')
    expect(written()).not.toContain('write-note')
  }, 300_000)

  it.each<[string, readonly string[], RegExp]>([
    ['is absent, and needed', [], /depends on the caller\. Name one: --caller caller\.json/],
    ['is no file', ['--caller', 'none.json'], /none\.json/],
    ['has no subject', ['--caller', 'package.json'], /must be JSON like \{ "subject": "ada"/],
  ])('refuses a caller that %s', async (_, args, says) => {
    const { code, output } = await types(...args)
    expect([code, output]).toEqual([2, expect.stringMatching(says)])
  })

  it.each([
    ['notebook', '.'],
    ['report', 'examples/report'],
  ])('has written those of examples/%s', async (name, folder) => {
    const { output } = await types(
      join(ROOT, 'examples', name, 'views'),
      '--project',
      join(ROOT, folder),
    )
    expect(output).toContain('is up to date')
  })
})

const STRICT = {
  strict: true,
  noEmit: true,
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  types: [],
  lib: ['es2024', 'dom'],
}

/** Each refusal must be one. */
const CALLS = `
import { connectView } from '${join(ROOT, 'packages/view/src/index.ts')}'
import type { Tools } from './src/views.types.ts'

const view = connectView<Tools, 'show_note'>({ name: 'note' })
const called = await view.callTool('write-note', { title: 'Milk' })
if (!called.isError) called.structuredContent satisfies undefined
// @ts-expect-error no tool has this name
void view.callTool('show_list', { title: 'Milk' })
// @ts-expect-error the tool is for the model alone
void view.callTool('erase')
// @ts-expect-error an argument has another type
void view.callTool('show_note', { title: 1 })
`
