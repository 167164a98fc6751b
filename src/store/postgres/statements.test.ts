import { describe, expect, it } from 'vitest'
import { arrayLiteral, statementOf } from './statements.ts'
import { parseStoreUrl } from './url.ts'

describe('statementOf', () => {
  it('translates parameters and gives each text one short name', () => {
    const statement = statementOf('SELECT ?1, ?12 WHERE ?1 = 1')
    expect(statement.text).toBe('SELECT $1, $12 WHERE $1 = 1')
    expect(statementOf('SELECT ?1, ?12 WHERE ?1 = 1')).toBe(statement)
    expect(statementOf('SELECT 2').name).not.toBe(statement.name)
    expect(statement.name.length).toBeLessThan(64)
  })
})

describe('arrayLiteral', () => {
  it('quotes what means something in an array', () => {
    expect(arrayLiteral(['a', null, 'NULL', '', '{,}', 'say "hi"', 'back\\slash', 3])).toBe(
      String.raw`{"a",NULL,"NULL","","{,}","say \"hi\"","back\\slash",3}`,
    )
    expect(arrayLiteral([])).toBe('{}')
  })
})

describe('parseStoreUrl', () => {
  it('shows a store without its password', () => {
    expect(parseStoreUrl('postgres://quinn:s%40cret@db.example:5433/mail?sslmode=require')).toEqual({
      location: 'postgres://quinn@db.example:5433/mail?sslmode=require',
      password: 's@cret',
    })
  })

  it('finds the password among the parameters too', () => {
    const { location, password } = parseStoreUrl(
      'postgresql://db/mail?user=quinn&password=secret&options=-csearch_path%3Dx',
    )
    expect(password).toBe('secret')
    expect(location).not.toContain('secret')
    expect(location).toContain('search_path')
  })

  it.each(['', 'mysql://db/x', 'postgres:/db', '/var/lib/postern.db'])('refuses %j', (url) => {
    expect(() => parseStoreUrl(url)).toThrow(expect.objectContaining({ code: 'STORE_URL_INVALID' }))
  })

  it('does not repeat the password of a URL that it refuses', () => {
    expect(() => parseStoreUrl('postgres ://quinn:secret@db/x')).toThrow(expect.not.stringContaining('secret'))
  })
})
