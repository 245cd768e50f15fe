/** `edgeway views shots`: a picture for each saved result, theme and width, and what prevents it. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { imageSize } from 'image-size'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findChromium } from '../../../test/browser/find-chromium.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const COMMAND = join(ROOT, 'packages/cli/src/edgeway.ts')
const FOLDER = mkdtempSync(join(tmpdir(), 'edgeway-shots-'))
const run = promisify(execFile)

let CHROMIUM_PATH = ''
beforeAll(async () => {
  CHROMIUM_PATH = await findChromium()
}, 600_000)
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

let project = FOLDER
beforeEach(() => {
  project = mkdtempSync(join(FOLDER, 'project-'))
  mkdirSync(join(project, 'src/views'), { recursive: true })
})

const write = (name: string, text: string) => writeFileSync(join(project, 'src/views', name), text)

async function shots(args: readonly string[] = [], env: object = { CHROMIUM_PATH }) {
  const options = { cwd: project, env: { ...process.env, ...env } }
  try {
    const { stdout, stderr } = await run(
      process.execPath,
      [COMMAND, 'views', 'shots', ...args],
      options,
    )
    return { code: 0, output: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, output: stdout + stderr }
  }
}

/** A view with the height of its result, which it asks a tool for. */
const VIEW = `<!doctype html><html lang="en"><head><title>Note</title></head><body style="margin: 0"><script type="module">
import { connectView } from '${join(ROOT, 'packages/view/src/index.ts')}'
const view = connectView({ name: 'note' })
let asked = false
view.watch(async ({ tool }) => {
  if (tool.status !== 'done' || asked) return
  asked = true
  const { structuredContent } = await view.callTool('height', {})
  document.body.style.height = structuredContent.height + 'px'
})
</script></body></html>`

const saved = (name: string, tool = 'note', structuredContent: object = {}) => ({
  name,
  tool,
  arguments: {},
  result: { content: [], structuredContent },
})

describe('edgeway views shots', () => {
  it('takes a picture for each saved result, theme and width, as high as the view', async () => {
    write('note.html', VIEW)
    write('note.results.json', JSON.stringify([saved('height', 'height', { height: 70 })]))
    write('other.html', VIEW)
    const { code, output } = await shots(['--out', 'out', '--width', '300', '500'])
    expect(output).toContain('other has no other.results.json')
    expect(output).toContain('out/note-height-dark-500.png')
    expect(code).toBe(0)
    const pictures = readdirSync(join(project, 'out')).map((name) => {
      const { width, height } = imageSize(readFileSync(join(project, 'out', name)))
      return [name, width, height]
    })
    // Two pixels for each of the view.
    expect(pictures.sort()).toEqual([
      ['note-height-dark-300.png', 600, 140],
      ['note-height-dark-500.png', 1000, 140],
      ['note-height-light-300.png', 600, 140],
      ['note-height-light-500.png', 1000, 140],
    ])
  })

  it('ends with 1 and says what a host does not accept of a view', async () => {
    write(
      'note.html',
      '<!doctype html><title>Note</title><script>throw new Error("broken")</script>',
    )
    write('note.results.json', JSON.stringify([saved('Milk & bread')]))
    const { code, output } = await shots(['--theme', 'dark'])
    expect(output).toContain('shots/note-milk-bread-dark-400.png')
    expect(output).toContain('note, "Milk & bread": The view failed: broken')
    expect(output).toContain('has not sent ui/initialize')
    expect(code).toBe(1)
  })

  it.each([
    ['no saved results', undefined, [], {}, 'No view of src/views has saved results'],
    ['a malformed file', '{}', [], {}, 'note.results.json: The file must be a list of results'],
    ['a width that is none', '[]', ['--width', '10'], {}, 'A width is a number from 200 to 2000'],
    [
      'no browser',
      JSON.stringify([saved('milk')]),
      [],
      { CHROMIUM_PATH: '', PATH: '', PLAYWRIGHT_BROWSERS_PATH: '/absent' },
      'Pictures need Chromium or Chrome',
    ],
  ])('takes no picture of %s, and says what to do', async (_, results, args, env, sentence) => {
    write('note.html', VIEW)
    if (results !== undefined) write('note.results.json', results)
    const { code, output } = await shots(args, { CHROMIUM_PATH, ...env })
    expect(output).toContain(sentence)
    expect(code).toBe(2)
  })
})
