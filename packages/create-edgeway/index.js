#!/usr/bin/env node
/** `npm create edgeway NAME` is `edgeway init NAME`, by the command of the package `edgeway`. */
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const require = createRequire(import.meta.url)
const manifest = require.resolve('edgeway/package.json')
const command = new URL(require(manifest).bin.edgeway, pathToFileURL(manifest))

process.argv.splice(2, 0, 'init')
await import(command.href)
