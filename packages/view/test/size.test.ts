import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

async function gzipBytes(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2024',
    external: ['preact/hooks', 'react'],
  })
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).byteLength
}

describe('the compressed size of edgeway/view', () => {
  it.each([
    ['with everything', `export * from '../src/index.ts'`, 5_000],
    ['with the hook of Preact', `export * from '../src/preact.ts'`, 200],
    ['with the hook of React', `export * from '../src/react.ts'`, 200],
  ])('%s stays within its limit', async (_, source, limit) => {
    const bytes = await gzipBytes(source)
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThanOrEqual(limit)
  })
})
