/** `npm run build`: compiles the package to JavaScript and declarations in `dist/`. */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true })
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' })
process.exit(status ?? 1)
