/** The endpoint that the page connects to. */
import { render, screen } from '@testing-library/preact'
import { describe, expect, it } from 'vitest'
import { EndpointBar } from '../../../page/try/endpoint-bar.tsx'
import { enteredIn, press, type } from '../support/controls.ts'

function open(signOut?: () => void) {
  const connected: string[] = []
  render(
    <EndpointBar
      endpoints={['/mcp', '/{org}/mcp']}
      endpoint="/mcp"
      onEndpoint={(next) => connected.push(next)}
      signOut={signOut}
    />,
  )
  return connected
}

describe('the endpoint', () => {
  it('is loaded again as it is, and another one is connected to', () => {
    const connected = open()
    expect(enteredIn('Endpoint')).toBe('/mcp')
    press('Reload')
    type('Endpoint', '/acme/mcp')
    expect(screen.queryByRole('button', { name: 'Reload' })).toBeNull()
    press('Connect')
    expect(connected).toEqual(['/mcp', '/acme/mcp'])
  })

  it('must be a path', () => {
    open()
    const input = screen.getByLabelText<HTMLInputElement>('Endpoint')
    expect([input.required, input.getAttribute('pattern')]).toEqual([true, '/.*'])
  })

  it('is suggested from those of the server', () => {
    open()
    const input = screen.getByLabelText('Endpoint')
    const list = document.getElementById(input.getAttribute('list') ?? '')
    const values = [...(list?.querySelectorAll('option') ?? [])].map(({ value }) => value)
    expect(values).toEqual(['/mcp', '/{org}/mcp'])
  })

  it('has a sign-out where the page has a token', () => {
    open()
    expect(screen.queryByRole('button', { name: 'Sign out' })).toBeNull()
    document.body.replaceChildren()
    let count = 0
    const connected = open(() => count++)
    press('Sign out')
    expect([count, connected]).toEqual([1, []])
  })
})
