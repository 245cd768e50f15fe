/**
 * Builds the page of the inspector: one HTML file with its script and style inline, and the policy that
 * allows exactly these two. The result is a module that the library imports.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { BASE_STYLE } from '../../src/pages/base-style.ts'
import { PROJECT_DIRECTORY } from './project.ts'

const SOURCES = join(PROJECT_DIRECTORY, 'packages/inspector/page')
const PAGE = join(PROJECT_DIRECTORY, 'packages/inspector/src/inspector/generated/page.ts')

/** The folders that the page is built from. */
const FOLDERS = [
  'packages/inspector/page',
  'packages/client/src',
  'packages/faults/src',
  'packages/inspector/src/timeline-texts',
  'packages/testing/src',
  'packages/view/src',
]

/** What else the page is built from. */
const OTHER_SOURCES = [
  'src/pages/base-style.ts',
  'src/pages/colors.ts',
  'scripts/support/inspector-page.ts',
  'node_modules/preact/package.json',
]

/** Builds the page where it is missing, or older than one of its sources. */
export async function ensureInspectorPage(): Promise<void> {
  // `npm run without` has removed the inspector.
  if (!existsSync(dirname(dirname(PAGE)))) return
  const built = statSync(PAGE, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(PROJECT_DIRECTORY, folder), { recursive: true, withFileTypes: true }),
  )
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const sources = [...files, ...OTHER_SOURCES.map((path) => join(PROJECT_DIRECTORY, path))]
  if (sources.some((path) => statSync(path).mtimeMs > built)) await buildInspectorPage()
}

/**
 * Writes the module, and returns the paths of what it was bundled from. It is replaced whole, because several
 * processes may build it at once.
 */
export async function buildInspectorPage(): Promise<readonly string[]> {
  const { html, policy, inputs } = await createInspectorPage()
  mkdirSync(dirname(PAGE), { recursive: true })
  const own = `${PAGE}.${process.pid}`
  writeFileSync(
    own,
    `/** The page of the inspector. \`npm run build:inspector\` generates it from \`packages/inspector/page/\`. */
export const INSPECTOR_HTML: string = ${JSON.stringify(html)}
export const INSPECTOR_CSP: string = ${JSON.stringify(policy)}
`,
  )
  renameSync(own, PAGE)
  return inputs
}

export interface InspectorPage {
  readonly html: string
  /** The content security policy. */
  readonly policy: string
  /** Paths in the project. */
  readonly inputs: readonly string[]
}

export async function createInspectorPage(): Promise<InspectorPage> {
  const { text: script, inputs } = await bundle('main.tsx')
  const style = `${BASE_STYLE}${(await bundle('style/page.css')).text}`
  const policy = [
    "default-src 'none'",
    `script-src ${sourceOf(script)}`,
    `style-src ${sourceOf(style)}`,
    "connect-src 'self'",
    "frame-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // No text of a server can become markup or a script.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  return { html: documentOf(script, style), policy, inputs }
}

async function bundle(
  entry: string,
): Promise<{ readonly text: string; readonly inputs: readonly string[] }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(SOURCES, entry)],
    absWorkingDir: PROJECT_DIRECTORY,
    bundle: true,
    metafile: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    charset: 'ascii',
    legalComments: 'none',
    tsconfig: join(SOURCES, 'tsconfig.json'),
  })
  const [file] = outputFiles
  if (file === undefined) throw new Error(`${entry} has no output`)
  // esbuild escapes `</script`; the check keeps this true of the style too.
  if (/<\/(?:script|style)/i.test(file.text)) throw new Error(`${entry} would end its element`)
  return { text: file.text.trim(), inputs: Object.keys(metafile.inputs) }
}

function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

function documentOf(script: string, style: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Inspector</title>
<style>${style}</style>
</head>
<body>
<div id="inspector"><noscript><p>The inspector needs JavaScript. <code>/inspect/timeline</code> has the connection timeline as text.</p></noscript></div>
<script>${script}</script>
</body>
</html>
`
}
