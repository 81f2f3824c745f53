const SERVER = 'https://codeberg.org'

/** @type {import('@millrace/plugin').Triggers} */
export const triggers = {
  async new_releases({ input, cursor, request }) {
    const [owner, name] = String(input.repository).split('/').map(encodeURIComponent)
    if (!owner || !name) throw new Error('The repository must be written as owner/name')
    const { status, body } = await request({
      url: `${SERVER}/api/v1/repos/${owner}/${name}/releases?limit=50`,
    })
    if (status === 404) throw new Error(`There is no repository ${owner}/${name} on ${SERVER}`)
    if (status !== 200 || !Array.isArray(body)) throw new Error(`${SERVER} responded with ${status}`)
    const releases = body.filter((one) => !one.draft && (input.previews || !one.prerelease))
    const last = Number(cursor ?? 0)
    return {
      items: releases.filter(({ id }) => id > last).map(toItem),
      cursor: Math.max(last, ...body.map(({ id }) => id)),
    }
  },
}

function toItem({ id, tag_name, name, html_url, published_at }) {
  return { id, version: tag_name, title: name || tag_name, url: html_url, published_at }
}
