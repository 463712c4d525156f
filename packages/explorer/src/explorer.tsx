import './explorer.css'
import { render } from 'preact'
import { LocationProvider, Route, Router } from 'preact-iso'
import { Guard } from './error-boundary.tsx'
import { Layout } from './layout.tsx'
import { keepScrollPosition } from './navigation/scroll-position.ts'
import { PREFIX, servicePath } from './navigation/service-path.ts'
import { CampaignPage } from './pages/campaign-page.tsx'
import { CampaignsPage } from './pages/campaigns-page.tsx'
import { ChainsPage } from './pages/chains-page.tsx'
import { ContractsPage } from './pages/contracts-page.tsx'
import { EarnPage } from './pages/earn-page.tsx'
import { NotFoundPage } from './pages/not-found-page.tsx'
import { UserPage, UsersPage } from './pages/users-page.tsx'

/** What this script shows; the browser loads all else. */
const PAGES = new RegExp(`^${PREFIX.replace(/[^\\w/]/g, '\\$&')}/(explorer/[^?]*)?(\\?.*)?$`)

/** Every page has a path of its own, so that links to it can be shared; the service answers all with this script. */
function Explorer() {
  return (
    <LocationProvider scope={PAGES}>
      <Layout>
        <Guard>
          <Router>
            <Route path={servicePath('/')} component={EarnPage} />
            <Route path={servicePath('/explorer/campaigns')} component={CampaignsPage} />
            <Route path={servicePath('/explorer/campaigns/:id')} component={CampaignPage} />
            <Route path={servicePath('/explorer/contracts')} component={ContractsPage} />
            <Route path={servicePath('/explorer/users')} component={UsersPage} />
            <Route path={servicePath('/explorer/users/:address')} component={UserPage} />
            <Route path={servicePath('/explorer/chains')} component={ChainsPage} />
            <Route default component={NotFoundPage} />
          </Router>
        </Guard>
      </Layout>
    </LocationProvider>
  )
}

keepScrollPosition()
render(<Explorer />, document.body)
