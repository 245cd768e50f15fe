/**
 * Runs the tests in workerd, with the bindings of `wrangler.jsonc` and the secrets of `.dev.vars`, as a
 * development server.
 */
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  plugins: [
    cloudflareTest({
      wrangler: { configPath: './wrangler.jsonc' },
      miniflare: { bindings: { EDGEWAY_ORIGIN: 'development' } },
    }),
  ],
})
