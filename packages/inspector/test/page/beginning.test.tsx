/** The beginning of the page, in the document that the server sends. */
import { screen, waitFor } from '@testing-library/preact'
import { render } from 'preact'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { CONFIG } from './support/config.ts'
import { textOf } from './support/controls.ts'
import { playServer } from './support/played-server.ts'
import { playStream } from './support/played-stream.ts'

let root: HTMLElement

beforeEach(() => {
  vi.resetModules()
  playStream()
  playServer({ answers: { '/inspect/config.json': CONFIG } })
  root = document.createElement('div')
  root.id = 'inspector'
  root.textContent = 'This page needs JavaScript.'
  document.body.append(root)
})

afterEach(() => {
  render(null, root)
  root.remove()
})

it('the page takes the place of what the document contained', async () => {
  await import('../../page/main.tsx')
  await screen.findByText('Select an exchange')
  expect(screen.queryByText('This page needs JavaScript.')).toBeNull()
  expect(screen.queryByRole('alert')).toBeNull()
})

it('the page says that a sign-in failed, at the address without its code', async () => {
  history.replaceState(null, '', '/inspect/callback?code=stolen&state=x')
  await import('../../page/main.tsx')
  await waitFor(() => expect(textOf(screen.getByRole('alert'))).toMatch(/begun by another page/))
  expect(location.href).toBe(`${location.origin}/inspect`)
})

it('the page is not shown in a document without its place', async () => {
  root.id = 'other'
  await import('../../page/main.tsx')
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(textOf(document.body)).toBe('This page needs JavaScript.')
})
