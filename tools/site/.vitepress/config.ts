/**
 * The generator's configuration: pages, navigation and search of the site. What decides stands in the files beside this
 * folder.
 */
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toAnchor } from '../markdown.ts'
import { readSite, serviceOf } from '../pages.ts'
import { repositoryLinks } from '../plugin.ts'
import { themeConfig } from '../theme-config.ts'

const here = dirname(fileURLToPath(import.meta.url))
const root = resolve(here, '../../..')
const modules = resolve(here, '../node_modules')
const site = readSite(root)

// oxlint-disable-next-line import/no-default-export -- the generator wants one
export default {
  lang: 'en-GB',
  title: 'sqlapi and xroad-proxy',
  description: 'SQL files as an HTTP API, and X-Road as plain HTTP: the manuals of two services',
  srcDir: root,
  srcExclude: site.left,
  // It would read every config.ts of the repository.
  additionalConfig: {},
  rewrites: Object.fromEntries(site.pages.map(({ file, place }) => [file, place])),
  cacheDir: join(modules, '.cache/vitepress'),
  // Links are checked before and after, with their anchors.
  ignoreDeadLinks: false,
  markdown: {
    anchor: { slugify: toAnchor },
    config: repositoryLinks(root, site),
    // A request and its answer, as the tests of the manuals send it.
    languageAlias: { curl: 'txt', mermaid: 'txt' },
  },
  transformPageData: ({ filePath, title }: { filePath: string; title: string }): object => {
    const service = serviceOf(filePath)
    return service === undefined || title === service ? {} : { titleTemplate: `:title | ${service}` }
  },
  themeConfig: themeConfig(site),
  vite: {
    // Pages lie outside of this folder, and there is no Vue beside them.
    resolve: {
      alias: [
        { find: /^vue\/server-renderer$/, replacement: join(modules, 'vue/server-renderer/index.mjs') },
        { find: /^vue$/, replacement: join(modules, 'vue/dist/vue.runtime.esm-bundler.js') },
      ],
    },
    // The index of the search is one piece, which only those load who search.
    build: { chunkSizeWarningLimit: 5000 },
  },
}
