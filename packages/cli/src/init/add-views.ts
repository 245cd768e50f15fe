/** Gives a tool of a new server a view: what other files say of it, beside the layers `starter/views`. */

/** How a view is written, and the packages that it needs. Those of types are for the compiler alone. */
export const VIEWS = {
  preact: ['preact'],
  react: ['react', 'react-dom', '@types/react', '@types/react-dom'],
  html: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type ViewsChoice = keyof typeof VIEWS

/** In each file, a text and what stands in its place. */
const CHANGES: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'src/features.ts': [
    ['import { changes }', "import { apps } from 'edgeway/apps'\nimport { changes }"],
    ['  changes(),\n', '  apps(),\n  changes(),\n'],
  ],
  'src/tools.ts': [
    [
      "import type { Server } from './server.ts'\n",
      "import type { Server } from './server.ts'\nimport { die } from './views.generated.ts'\n",
    ],
    ['      annotations: { readOnly', '      ui: die,\n      annotations: { readOnly'],
  ],
  'wrangler.jsonc': [
    [
      '  "minify": true,\n',
      `  // Builds the views, and builds them again when one changes.
  "build": { "command": "edgeway views build", "watch_dir": "src/views" },
  "minify": true,
`,
    ],
  ],
  'tsconfig.json': [['"include": [', '"exclude": ["src/views"],\n  "include": [']],
  '.gitignore': [
    [
      '# `npm run typecheck` generates it.\n',
      '# `npm run typecheck` generates them.\nsrc/views.generated.ts\nsrc/views.types.ts\n',
    ],
  ],
}

const SCRIPTS: Readonly<Record<string, string>> = {
  test: 'edgeway views build && vitest run',
  typecheck: 'edgeway views types && wrangler types && tsc && tsc -p src/views',
  views: 'edgeway views build',
}

export function addViews(texts: Map<string, string>, views: ViewsChoice): void {
  for (const [path, changes] of Object.entries(CHANGES)) {
    let text = texts.get(path) ?? ''
    for (const [from, to] of changes) {
      if (!text.includes(from)) throw new Error(`${path} of the starter has no ${from}`)
      text = text.replace(from, () => to)
    }
    texts.set(path, text)
  }
  const manifest = JSON.parse(texts.get('package.json') ?? '{}')
  Object.assign(manifest.scripts, SCRIPTS)
  for (const name of ['vite', ...VIEWS[views]]) manifest.devDependencies[name] = '*'
  manifest.devDependencies = Object.fromEntries(Object.entries(manifest.devDependencies).sort())
  texts.set('package.json', JSON.stringify(manifest))
}
