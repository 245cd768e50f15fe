import { describe, expect, it } from 'vitest'
import { isLoopbackAddress, parseIpAddress } from '../../src/platform/ip-address.ts'

const ZEROS = (count: number) => Array<number>(count).fill(0)

describe('parseIpAddress', () => {
  it.each([
    ['203.0.113.7', [203, 0, 113, 7]],
    ['0.0.0.0', [0, 0, 0, 0]],
    ['::', ZEROS(16)],
    ['::1', [...ZEROS(15), 1]],
    ['1::', [0, 1, ...ZEROS(14)]],
    ['2001:DB8::ff', [0x20, 0x01, 0x0d, 0xb8, ...ZEROS(11), 0xff]],
    ['1:2:3:4:5:6:7:8', [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]],
    ['1:2:3:4:5:6:7::', [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 0]],
    ['::ffff:192.0.2.1', [192, 0, 2, 1]],
    ['::FFFF:c000:0201', [192, 0, 2, 1]],
    ['0000:0000:0000:0000:0000:ffff:192.168.100.228', [192, 168, 100, 228]],
  ])('returns the bytes of %s', (text, bytes) => {
    expect(parseIpAddress(text)).toEqual(bytes)
  })

  it.each([
    '',
    'localhost',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '01.2.3.4',
    '0x7f.0.0.1',
    '2130706433',
    ':',
    ':::',
    '1:2',
    '1::2::3',
    '12345::',
    'fe80::1%eth0',
    '[::1]',
    '::1]/path',
    '1.2.3.4 ',
    `${'0'.repeat(46)}::1`,
  ])('returns undefined for %j', (text) => {
    expect(parseIpAddress(text)).toBeUndefined()
  })
})

describe('isLoopbackAddress', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.255.255.255', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['128.0.0.1', false],
    ['0.0.0.0', false],
    ['::', false],
    ['1::1', false],
  ])('of %s is %s', (text, expected) => {
    expect(isLoopbackAddress(parseIpAddress(text) ?? [])).toBe(expected)
  })
})
